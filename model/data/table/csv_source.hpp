#pragma once

#include "base/failure.hpp"
#include "base/files/descriptor.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace troupe {

/// The CRC-32 of consecutive bytes of a text.
struct PieceSum {
  std::uint32_t sum = 0;
  std::uint64_t bytes = 0;
};
PieceSum sum_of_piece(std::string_view text);

DataError table_changed(const std::string& path);

/// The text of a table's file in UTF-8, without its byte-order mark. A plain file stays on the
/// disk; what has to be unpacked or converted is kept in memory.
class CsvSource {
public:
  /// @throws IoError, DataError as read_text, and for formats other than CSV
  explicit CsvSource(std::string path);

  const std::string& path() const { return path_; }
  const std::string& encoding() const { return encoding_; } ///< "UTF-16" if converted, else ""
  std::uint64_t size() const { return size_; }              ///< in bytes

  /// Reads bytes of the text, fewer at its end. Safe from several threads at once.
  /// @throws IoError; DataError if the file became shorter
  void read(std::uint64_t offset, std::uint64_t bytes, std::string& text) const;

  /// The checksum of the file's content, which detects accidental differences.
  /// @param pieces of the whole text, in order
  std::string checksum(std::span<const PieceSum> pieces) const;

private:
  std::string path_, encoding_;
  std::string held_;          // the whole text, if it is kept in memory
  std::string held_checksum_; // of the file's content before a conversion
  Descriptor file_;           // otherwise
  std::string mark_;          // the byte-order mark, before the text
  std::uint64_t size_ = 0;
};

} // namespace troupe
