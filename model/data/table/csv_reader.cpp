#include "model/data/table/csv_reader.hpp"

#include "base/failure.hpp"
#include "base/text/utf8.hpp"
#include "model/data/table/csv_separator_text.hpp"
#include "model/data/table/csv_text.hpp"

#include <algorithm>

namespace troupe {

namespace {

/// The beginning of the line with byte `at`, with ? for bytes that are not UTF-8.
std::string line_at(std::string_view text, std::size_t at) {
  const auto newline = text.find_last_of("\r\n", at);
  const auto begin = newline == text.npos ? 0 : newline + 1;
  auto line
    = std::string(text.substr(begin, std::min(text.find_first_of("\r\n", at), at + 20) - begin));
  for (auto invalid = find_invalid_utf8(line); invalid != line.npos;
       invalid = find_invalid_utf8(line))
    line[invalid] = '?';
  return shown_cell(line);
}

} // namespace

bool is_csv_text(std::string_view text) {
  return find_invalid_utf8(text) == text.npos && text.find('\0') == text.npos;
}

CsvReader::CsvReader(FromMiddle, const std::string& text, std::string file, char separator)
  : text_(text),
    file_(std::move(file)),
    separator_(separator),
    at_(text.c_str()) {
  for (const char end : {separator, '"', '\n', '\r', '\0', separator == ' ' ? '\t' : '\0'})
    ends_plain_[static_cast<unsigned char>(end)] = true;
}

CsvReader CsvReader::of_rows(const std::string& text, std::string file, char separator,
                             std::size_t at, Index line) {
  CsvReader reader(FromMiddle{}, text, std::move(file), separator);
  reader.at_ += at;
  reader.line_ = line;
  return reader;
}

CsvReader::CsvReader(const std::string& text, std::string file, char separator)
  : CsvReader(FromMiddle{}, text, std::move(file), separator) {
  const auto line_of = [this](std::size_t at) {
    return 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  };
  const auto zero = text_.find('\0');
  if (zero != std::string::npos)
    throw DataError(file_ + ", line " + std::to_string(line_of(zero)) + ": found a zero byte at "
                    + "byte " + std::to_string(zero)
                    + ", expected text; this is no CSV file, or one in UTF-16, to be converted: "
                      "iconv -f UTF-16LE "
                      "-t UTF-8 "
                    + file_ + " > converted.csv");
  const auto invalid = find_invalid_utf8(text_);
  if (invalid != std::string::npos)
    throw DataError(
      file_ + ", line " + std::to_string(line_of(invalid)) + ": byte " + std::to_string(invalid)
      + " is not UTF-8 (" + line_at(text_, invalid)
      + "); if the file is in Windows' encoding, convert it: iconv -f CP1252 -t UTF-8 " + file_
      + " > converted.csv");
  if (text_.starts_with("\xEF\xBB\xBF"))
    at_ += 3;
  if (named_separator(at_)) {
    while (!at_end() && !at_newline())
      ++at_;
    if (!at_end())
      skip_newline();
  }
}

bool CsvReader::next(CsvRecord& record) {
  record.cells.clear();
  record.unquoted.clear();
  if (!begin_row())
    return false;
  record.line = line_;
  do {
    auto text = cell();
    if (text.data() == unquoted_.data())
      text = record.unquoted.emplace_back(std::move(unquoted_));
    record.cells.push_back(text);
  } while (end_cell());
  return true;
}

bool CsvReader::begin_row() {
  for (;;) {
    if (separator_ == ' ')
      skip_blanks();
    if (!at_newline())
      break;
    skip_newline();
  }
  column_ = 1;
  return !at_end();
}

std::string_view CsvReader::cell() {
  skip_blanks();
  return *at_ == '"' ? quoted_cell() : plain_cell();
}

std::string_view CsvReader::quoted_cell() {
  const auto first_line = line_;
  const auto* begin = ++at_;
  unquoted_.clear();
  for (;; ++at_) {
    if (at_end())
      refuse(first_line, "found no end of the cell that begins with \"; close the quote");
    if (*at_ == '"') {
      if (at_[1] != '"')
        break;
      unquoted_.append(begin, ++at_); // a doubled quote stands for one
      begin = at_ + 1;
    }
    line_ += *at_ == '\n' ? 1 : 0;
  }
  std::string_view text{begin, static_cast<std::size_t>(at_ - begin)};
  if (!unquoted_.empty())
    text = unquoted_.append(text);
  ++at_;
  if (separator_ != ' ')
    skip_blanks();
  if (!at_end() && !at_separator() && !at_newline())
    refuse(line_, "found text after the closing quote, " + shown_cell(std::string_view(at_, 1))
                    + ", expected the separator (" + separator_text(separator_)
                    + ") or the end of the line; write a quote inside a cell twice, or set "
                      "problem.separator");
  return text;
}

std::string_view CsvReader::plain_cell() {
  const auto* const begin = at_;
  while (!ends_plain_[static_cast<unsigned char>(*at_)])
    ++at_;
  if (*at_ == '"')
    refuse(line_, "found a quote inside a cell that does not begin with one; quote the whole cell "
                  "and write quotes inside it twice");
  const auto* end = at_;
  while (end > begin && end[-1] == ' ')
    --end;
  return {begin, static_cast<std::size_t>(end - begin)};
}

void CsvReader::refuse(Index line, const std::string& sentence) const {
  throw DataError(file_ + ", line " + std::to_string(line) + ", column " + std::to_string(column_)
                  + ": " + sentence);
}

} // namespace troupe
