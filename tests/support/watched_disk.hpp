// Watches a test program's calls of fsync and fdatasync, which a test can refuse.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace troupe::test {

/// While it lives, it records what is synchronised. The definitions in watched_disk_test.cpp
/// replace those of the C library.
class WatchedDisk {
public:
  WatchedDisk();
  ~WatchedDisk();
  WatchedDisk(const WatchedDisk&) = delete;
  WatchedDisk& operator=(const WatchedDisk&) = delete;

  std::vector<std::filesystem::path> synchronised;          ///< in this order
  std::function<void(const std::filesystem::path&)> before; ///< called before each of them
  std::filesystem::path refused; ///< the disk always fails with EIO for the file at this path

  /// @returns 0, or errno
  int note(int descriptor);
};

} // namespace troupe::test
