#pragma once

#include "base/types.hpp"
#include "model/data/table/csv_number_text.hpp"

#include <array>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// One row of a CSV file.
struct CsvRecord {
  Index line = 0;                        ///< where it begins, from 1
  std::vector<std::string_view> cells;   ///< without quotes; views into the reader's text
  std::deque<std::string> unquoted = {}; ///< or into these, for quotes inside a cell
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
  /// @param text must outlive the reader and its records
  /// @param file for messages
  /// @throws DataError if the text is not UTF-8, or contains zero bytes
  CsvReader(const std::string& text, std::string file, char separator);

  /// Reads rows from the middle of a text.
  /// @param text that is_csv_text
  /// @param at the byte where a row begins, in line `line`, from 1
  static CsvReader of_rows(const std::string& text, std::string file, char separator,
                           std::size_t at = 0, Index line = 1);

  /// Reads the next record.
  /// @returns false at the end
  /// @throws DataError if quotes do not match
  bool next(CsvRecord& record);

  /// Goes to the next row, whose cells are then read one by one. @returns false at the end
  bool begin_row();
  /// Reads the next cell of the row.
  /// @returns its text, until the next call
  /// @throws DataError if quotes do not match
  std::string_view cell();
  /// Reads the next cell if it is a plain decimal, as most cells of most tables are, and otherwise
  /// leaves it. The separator must not be part of one.
  bool decimal(PlainDecimal& number, std::string_view& text);
  /// Goes behind a cell. @returns false at the end of the row
  bool end_cell();

  std::size_t at() const { return static_cast<std::size_t>(at_ - text_.c_str()); } ///< the byte
  Index line() const { return line_; } ///< of that byte, from 1

private:
  struct FromMiddle {};
  CsvReader(FromMiddle, const std::string& text, std::string file, char separator);

  std::string_view quoted_cell();
  std::string_view plain_cell();
  bool at_end() const { return *at_ == '\0'; } // a zero byte is only after the text
  bool at_newline() const { return *at_ == '\n' || *at_ == '\r'; }
  bool at_blank() const { return *at_ == ' ' || (separator_ == ' ' && *at_ == '\t'); }
  bool at_separator() const { return *at_ == separator_ || (separator_ == ' ' && *at_ == '\t'); }
  void skip_blanks(); ///< around cells
  void skip_newline();
  [[noreturn]] void refuse(Index line, const std::string& sentence) const;

  const std::string& text_;
  std::string file_;
  char separator_;
  std::array<bool, 256> ends_plain_ = {}; ///< by byte; the zero byte after the text too
  const char* at_;
  Index line_ = 1, column_ = 1;
  std::string unquoted_; ///< a cell with quotes inside
};

inline bool CsvReader::decimal(PlainDecimal& number, std::string_view& text) {
  skip_blanks();
  const auto* const end = read_plain_decimal(at_, number);
  if (end == nullptr || !ends_plain_[static_cast<unsigned char>(*end)] || *end == '"')
    return false;
  text = {at_, static_cast<std::size_t>(end - at_)};
  at_ = end;
  return true;
}

inline bool CsvReader::end_cell() {
  if (at_separator()) {
    ++at_;
    ++column_;
    if (separator_ != ' ')
      return true;
    skip_blanks();
    if (!at_end() && !at_newline())
      return true;
  }
  if (!at_end())
    skip_newline();
  return false;
}

inline void CsvReader::skip_blanks() {
  while (at_blank())
    ++at_;
}

inline void CsvReader::skip_newline() {
  at_ += at_[0] == '\r' && at_[1] == '\n' ? 2 : 1;
  ++line_;
}

} // namespace troupe
