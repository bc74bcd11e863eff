// What a test program hands to the disk: its calls of fsync and fdatasync, which a test can refuse.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace troupe::test {

/// While it lives, it notes what is synchronised. The definitions in watched_disk_test.cpp take the
/// place of the C library's.
class WatchedDisk {
public:
  WatchedDisk();
  ~WatchedDisk();
  WatchedDisk(const WatchedDisk&) = delete;
  WatchedDisk& operator=(const WatchedDisk&) = delete;

  std::vector<std::filesystem::path> synchronised;          ///< in this order
  std::function<void(const std::filesystem::path&)> before; ///< each of them
  std::filesystem::path refused; ///< the disk fails with EIO at what this path leads to, each time

  /// @returns 0, or errno
  int note(int descriptor);
};

} // namespace troupe::test
