// Locks a run's folder: one process trains in it at a time.
#pragma once

#include <filesystem>

namespace troupe {

/// While it lives, no other process trains in the folder. The system releases it when the process
/// ends, however it ends; child processes do not inherit it.
class RunLock {
public:
  RunLock() = default;
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

  /// Locks a folder, and removes unfinished state files that killed processes left in it. Nothing
  /// happens if the folder does not exist or this lock holds it already. If the file system has no
  /// locks, it prints a warning.
  /// @throws IoError that names the process that trains there.
  void take(const std::filesystem::path& folder);

private:
  int descriptor_ = -1;
};

/// Whether a process trains in a folder. It leaves the lock to processes that want it: one that
/// starts at this moment tries again.
bool is_locked(const std::filesystem::path& folder);

} // namespace troupe
