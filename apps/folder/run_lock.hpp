// Who trains in a run's folder: one process at a time.
#pragma once

#include <filesystem>

namespace troupe {

/// While it lives no other process trains in the folder. The system ends it with its process,
/// however that ends, and processes that are started meanwhile do not inherit it.
class RunLock {
public:
  RunLock() = default;
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

  /// Takes a folder, and clears away what processes that were killed while they wrote a state have
  /// left in it. Nothing happens where the folder is not there, or is taken by this lock already.
  /// Where the file system has no locks people are warned.
  /// @throws IoError that names who trains there.
  void take(const std::filesystem::path& folder);

private:
  int descriptor_ = -1;
};

} // namespace troupe
