#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace troupe {

/// Reads a file sequentially, and decompresses it if it begins as gzip does.
class DataFile {
public:
  /// @throws IoError if it does not exist, is not a regular file or cannot be read; DataError
  ///         if it is empty
  explicit DataFile(std::string path);

  /// Fills `to` with the next bytes.
  /// @returns their number, less than `bytes` only at the end
  /// @throws DataError if gzip data are damaged or truncated, IoError if reading fails
  std::size_t read(void* to, std::size_t bytes);

  const std::string& path() const { return path_; }
  bool gzip() const { return gzip_; }
  std::uint64_t offset() const { return offset_; } ///< bytes read so far, after unpacking

  /// An upper bound of its content in bytes: its size, or for gzip the largest size that deflate
  /// can produce from it. Check sizes inside the file against this before you allocate.
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

/// The type of a folder's entry, after following links; not_found for a dangling link.
/// @throws IoError if it cannot be determined, for instance for a link to itself
std::filesystem::file_type file_type_of(const std::filesystem::directory_entry& entry);

/// The content of a file, decompressed if it is gzip.
/// @throws IoError, DataError as DataFile, and DataError beyond `limit` bytes
std::string read_text(const std::string& path, std::uint64_t limit);

/// Eight hexadecimal digits (CRC-32) that detect accidental differences.
/// @param before the checksum of the bytes that these follow
std::string checksum(std::span<const std::byte> bytes, const std::string& before = "00000000");

} // namespace troupe
