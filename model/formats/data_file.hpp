#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace troupe {

/// Reads a file from its beginning to its end, unpacking it where its first bytes are gzip's.
class DataFile {
public:
  /// @throws FileError where it does not exist, is no regular file or may not be read.
  /// @throws DataError where it is empty.
  explicit DataFile(std::string path);

  /// Fills `to` with the next bytes.
  /// @returns how many there were, less than `bytes` only at the end.
  /// @throws DataError where gzip's data are damaged or end early, FileError where reading fails.
  std::size_t read(void* to, std::size_t bytes);

  const std::string& path() const { return path_; }
  bool gzip() const { return gzip_; }
  std::uint64_t offset() const { return offset_; } ///< bytes read so far, after unpacking

  /// What the file can hold at most, in bytes: its size, or where it is packed, what deflate can
  /// make of that. Who is about to believe a size from inside the file asks this first.
  std::uint64_t most_bytes() const;

  /// "images.gz, byte 4 after unpacking"
  std::string place(std::uint64_t offset) const;

private:
  struct Close {
    void operator()(void* file) const;
  };
  std::string path_;
  std::uint64_t size_ = 0; // on disk
  std::uint64_t offset_ = 0;
  bool gzip_ = false;
  std::unique_ptr<void, Close> file_;
};

/// What an entry of a folder is, or what its link leads to; not_found where that leads nowhere.
/// @throws FileError where nobody can tell, as of a link that leads to itself.
std::filesystem::file_type file_type_of(const std::filesystem::directory_entry& entry);

/// The whole of a file as text, unpacked where it is gzip.
/// @throws FileError, DataError as DataFile does, and DataError beyond `limit` bytes.
std::string read_text(const std::string& path, std::uint64_t limit);

/// Eight hexadecimal digits that tell bytes apart which differ by accident (CRC-32).
/// @param before of the bytes that these follow
std::string checksum(std::span<const std::byte> bytes, const std::string& before = "00000000");

} // namespace troupe
