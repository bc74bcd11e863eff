#pragma once

#include "base/files/descriptor.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>

namespace troupe {

/// Memory in a file without a name, for data that exceed the memory: the system writes pages to the
/// disk, and takes them back. The file ends with the process, however that ends.
///
/// Safe from several threads at once.
class SpillFile {
public:
  /// @param folder where the file is, on a disk with enough room
  /// @param resident so many bytes of it may be in memory, about
  /// @throws IoError
  SpillFile(std::string folder, std::uint64_t resident);
  ~SpillFile();
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;

  /// $TMPDIR, or /var/tmp, which is on a disk.
  static std::string usual_folder();

  const std::string& folder() const { return folder_; }
  /// Bytes on the disk.
  std::uint64_t size() const { return used_; }

  /// Zeros, at a page's beginning.
  /// @throws IoError if the disk is full
  std::byte* take(std::size_t bytes);
  /// Gives the place on the disk back.
  void give_back(std::byte* memory, std::size_t bytes);

  /// Counts bytes that were read or written in memory. When they are too many, all pages leave the
  /// memory of the process; they come back when they are used.
  void count_use(std::size_t bytes) {
    if (resident_now_.fetch_add(bytes, std::memory_order_relaxed) + bytes > resident_)
      leave_memory();
  }
  void leave_memory();

  /// From now on bytes are used in any order.
  void expect_any_order() const;
  /// Writes bytes without bringing their page into memory.
  /// @param to of take()
  /// @throws IoError
  void write(std::byte* to, std::span<const std::byte> bytes);
  /// Copies bytes without bringing their page into memory.
  /// @param from of take()
  /// @throws IoError
  void read(const std::byte* from, std::span<std::byte> to) const;

private:
  std::string folder_;
  std::uint64_t resident_;
  Descriptor file_;
  std::byte* begin_ = nullptr;
  std::mutex mutex_;
  std::uint64_t end_ = 0; ///< of the file
  std::atomic<std::uint64_t> used_ = 0;
  std::atomic<std::uint64_t> resident_now_ = 0;
};

} // namespace troupe
