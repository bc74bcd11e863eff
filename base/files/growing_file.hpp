// Reads the whole lines of a file that grows.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <string_view>

namespace troupe {

/// The file is open only while it is read: a program may follow thousands.
class GrowingFile {
public:
  explicit GrowingFile(std::filesystem::path path) : path_(std::move(path)) {}

  /// How much one call reads.
  struct Extent {
    static constexpr auto all = std::numeric_limits<std::uint64_t>::max();
    std::uint64_t most_bytes = all; ///< after which it stops, at the end of a line
    std::uint64_t end = all;        ///< offset of the first byte that it leaves
    bool half_line = false;         ///< also takes a last line that has no line feed yet
  };

  /// @param line without its line feed; @param offset of its first byte
  using Take = std::function<void(std::string_view line, std::uint64_t offset)>;
  /// Calls `take` with each whole line that was written since the last call.
  /// @returns false if the file was replaced or cut: then nothing is taken, and the next call
  /// begins with its first line.
  bool read(const Take& take, const Extent& extent);
  bool read(const Take& take) { return read(take, Extent{}); }
  /// The next call begins with the first line.
  void rewind() { read_ = 0; }

  const std::filesystem::path& path() const { return path_; }
  std::uint64_t bytes_read() const { return read_; }

private:
  std::filesystem::path path_;
  std::uint64_t read_ = 0; ///< up to the end of the last whole line
  ino_t file_ = 0;         ///< which it was when it was read
};

} // namespace troupe
