#include "model/data/table/csv_reader.hpp"

#include "base/files/data_error.hpp"
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

CsvReader::CsvReader(FromMiddle, std::string& text, std::string file, char separator)
  : text_(text),
    file_(std::move(file)),
    separator_(separator) {
  for (const char end : {separator, '"', '\n', '\r', '\0', separator == ' ' ? '\t' : '\0'})
    ends_plain_[static_cast<unsigned char>(end)] = true;
}

CsvReader CsvReader::of_rows(std::string& text, std::string file, char separator, Index line) {
  CsvReader reader(FromMiddle{}, text, std::move(file), separator);
  reader.line_ = line;
  return reader;
}

CsvReader::CsvReader(std::string& text, std::string file, char separator)
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
    at_ = 3;
  if (named_separator(std::string_view(text_).substr(at_))) {
    at_ = std::min(text_.find_first_of("\r\n", at_), text_.size());
    if (at_ < text_.size())
      skip_newline();
  }
}

bool CsvReader::next(CsvRecord& record) {
  record.cells.clear();
  for (;;) {
    if (separator_ == ' ')
      skip_blanks();
    if (!at_newline())
      break;
    skip_newline();
  }
  if (at_ == text_.size())
    return false;
  record.line = line_;
  for (;;) {
    const auto column = static_cast<Index>(record.cells.size()) + 1;
    skip_blanks();
    const auto quoted = at_ < text_.size() && text_[at_] == '"';
    record.cells.push_back(quoted ? quoted_cell(column) : plain_cell(column));
    if (at_separator()) {
      ++at_;
      if (separator_ != ' ')
        continue;
      skip_blanks();
      if (at_ < text_.size() && !at_newline())
        continue;
    }
    if (at_ < text_.size())
      skip_newline();
    return true;
  }
}

std::string_view CsvReader::quoted_cell(Index column) {
  const auto first_line = line_;
  const auto begin = ++at_;
  auto end = begin; // begin .. end is unquoted so far
  for (;; ++at_) {
    if (at_ == text_.size())
      refuse(first_line, column, "found no end of the cell that begins with \"; close the quote");
    if (text_[at_] == '"') {
      if (at_ + 1 == text_.size() || text_[at_ + 1] != '"')
        break;
      ++at_; // a doubled quote stands for one
    }
    line_ += text_[at_] == '\n' ? 1 : 0;
    text_[end++] = text_[at_];
  }
  ++at_;
  if (separator_ != ' ')
    skip_blanks();
  if (at_ < text_.size() && !at_separator() && !at_newline())
    refuse(line_, column,
           "found text after the closing quote, "
             + shown_cell(std::string_view(text_).substr(at_, 1)) + ", expected the separator ("
             + separator_text(separator_)
             + ") or the end of the line; write a quote inside a cell twice, or set "
               "problem.separator");
  return std::string_view(text_).substr(begin, end - begin);
}

std::string_view CsvReader::plain_cell(Index column) {
  const auto begin = at_;
  const auto* c = text_.c_str() + at_;
  while (!ends_plain_[static_cast<unsigned char>(*c)])
    ++c;
  at_ = static_cast<std::size_t>(c - text_.c_str());
  if (*c == '"')
    refuse(line_, column,
           "found a quote inside a cell that does not begin with one; quote the whole cell and "
           "write quotes inside it twice");
  auto end = at_;
  while (end > begin && text_[end - 1] == ' ')
    --end;
  return std::string_view(text_).substr(begin, end - begin);
}

bool CsvReader::at_newline() const {
  return at_ < text_.size() && (text_[at_] == '\n' || text_[at_] == '\r');
}

bool CsvReader::at_separator() const {
  return at_ < text_.size()
         && (text_[at_] == separator_ || (separator_ == ' ' && text_[at_] == '\t'));
}

/// Skips blanks around cells.
void CsvReader::skip_blanks() {
  while (at_ < text_.size() && (text_[at_] == ' ' || (separator_ == ' ' && text_[at_] == '\t')))
    ++at_;
}

void CsvReader::skip_newline() {
  if (text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n')
    ++at_;
  ++at_;
  ++line_;
}

void CsvReader::refuse(Index line, Index column, const std::string& sentence) const {
  throw DataError(file_ + ", line " + std::to_string(line) + ", column " + std::to_string(column)
                  + ": " + sentence);
}

} // namespace troupe
