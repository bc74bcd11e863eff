#pragma once

#include "base/types.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// One row of a CSV file.
struct CsvRecord {
  Index line = 0;                      ///< where it begins, from 1
  std::vector<std::string_view> cells; ///< without quotes; views into the reader's text
};

/// Whether a text is UTF-8 without zero bytes, which CsvReader expects.
bool is_csv_text(std::string_view text);

/// Parses CSV text as RFC 4180: cells may be quoted, and then contain separators, newlines and
/// doubled quotes. Beyond the RFC: lines may end in LF, CR LF or CR; a byte-order mark, empty lines
/// and a first line such as sep=; are skipped; so are blanks around unquoted cells. With the
/// separator ' ' a run of blanks and tabs separates two cells, and is skipped at the ends of a
/// line.
class CsvReader {
public:
  /// @param text is changed: quoted cells are unquoted in place. It must outlive the records.
  /// @param file for messages
  /// @throws DataError if the text is not UTF-8, or contains zero bytes
  CsvReader(std::string& text, std::string file, char separator);

  /// Reads rows from the middle of a text.
  /// @param text that is_csv_text
  /// @param line of its beginning, from 1
  static CsvReader of_rows(std::string& text, std::string file, char separator, Index line);

  /// Reads the next record.
  /// @returns false at the end
  /// @throws DataError if quotes do not match
  bool next(CsvRecord& record);

  std::size_t at() const { return at_; } ///< the byte where the next record begins
  Index line() const { return line_; }   ///< of that byte, from 1

private:
  struct FromMiddle {};
  CsvReader(FromMiddle, std::string& text, std::string file, char separator);

  std::string_view quoted_cell(Index column);
  std::string_view plain_cell(Index column);
  bool at_newline() const;
  bool at_separator() const;
  void skip_blanks();
  void skip_newline();
  [[noreturn]] void refuse(Index line, Index column, const std::string& sentence) const;

  std::string& text_;
  std::string file_;
  char separator_;
  std::array<bool, 256> ends_plain_ = {}; ///< by byte; the zero byte after the text too
  std::size_t at_ = 0;
  Index line_ = 1;
};

} // namespace troupe
