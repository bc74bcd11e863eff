#include "troupe/model/problems/csv_table.hpp"

#include "troupe/model/number_in.hpp"
#include "troupe/model/problems/csv_reader.hpp"
#include "troupe/model/problems/data_error.hpp"
#include "troupe/model/problems/data_file.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <stdexcept>

namespace troupe {

namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{2} << 30;

} // namespace

bool is_missing(std::string_view cell) {
  static constexpr std::array<std::string_view, 6> words{"", "na", "n/a", "nan", "?", "null"};
  return std::any_of(words.begin(), words.end(), [cell](std::string_view word) {
    return std::equal(cell.begin(), cell.end(), word.begin(), word.end(), [](char a, char b) {
      return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
    });
  });
}

std::optional<double> parse_number(std::string_view cell) {
  if (cell.starts_with('+') && !cell.starts_with("+-"))
    cell.remove_prefix(1);
  const auto value = number_in<double>(cell);
  return value && std::abs(*value) <= std::numeric_limits<float>::max() ? value : std::nullopt;
}

bool has_decimal_comma(std::string_view cell) {
  if (cell.starts_with('-') || cell.starts_with('+'))
    cell.remove_prefix(1);
  const auto comma = cell.find(',');
  const auto digits = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
  };
  return comma != cell.npos && digits(cell.substr(0, comma)) && digits(cell.substr(comma + 1));
}

std::string comma_hint(std::string_view cell) {
  return has_decimal_comma(cell) ? "; numbers are written with a point, not a comma" : "";
}

CsvTable::CsvTable(const std::string& path, char separator, const std::string& header)
  : file_(path),
    text_(read_text(path, most_bytes)),
    data_(checksum(std::as_bytes(std::span{text_}))) {
  if (header != "auto" && header != "yes" && header != "no")
    throw std::invalid_argument("csv: header is \"" + header + "\"; write auto, yes or no");
  CsvReader reader(text_, file_, separator);
  for (CsvRecord record; reader.next(record);) {
    const auto n = static_cast<Index>(record.cells.size());
    if (lines_.empty())
      columns_ = n;
    if (n != columns_)
      throw DataError(file_ + ", line " + std::to_string(record.line) + ", column "
                      + std::to_string(std::min(n, columns_) + 1) + ": found " + std::to_string(n)
                      + " cells, expected " + std::to_string(columns_) + " as in line "
                      + std::to_string(lines_[0])
                      + "; quote cells that contain the separator, or set the right separator");
    lines_.push_back(record.line);
    cells_.insert(cells_.end(), record.cells.begin(), record.cells.end());
  }
  if (lines_.empty())
    throw DataError(file_ + ", line 1: found no row, expected at least one; check the file");
  for (Index c = 0; c < columns_; ++c)
    names_.push_back(nth(c + 1));
  if (header == "yes" || (header == "auto" && first_row_is_header()))
    take_header();
}

bool CsvTable::first_row_is_header() const {
  Index words = -1, numbers = -1; // columns of numbers in which the first row has a word, a number
  bool repeated = false;          // a cell of the first row occurs again below it
  for (Index c = 0; c < columns_; ++c) {
    Index known = 0, numeric = 0; // cells below the first row
    for (Index r = 1; r < rows(); ++r) {
      repeated = repeated || cell(r, c) == cell(0, c);
      known += is_missing(cell(r, c)) ? 0 : 1;
      numeric += parse_number(cell(r, c)) ? 1 : 0;
    }
    const auto word = !parse_number(cell(0, c)) && !is_missing(cell(0, c));
    if (known > 0 ? numeric == known : rows() == 1 && !word)
      (word ? words : numbers) = c;
  }
  if (words >= 0 && numbers >= 0)
    throw DataError(place(0, words) + ": found \"" + std::string(cell(0, words))
                    + "\" above numbers, as in a header, but column " + std::to_string(numbers + 1)
                    + " has a number there, as in a row of data; correct the cell, or say header: "
                      "yes or no");
  if (words < 0 && numbers < 0 && !repeated) {
    const auto comma = std::find_if(cells_.begin(), cells_.end(), has_decimal_comma);
    throw DataError(place(0, 0) + ": cannot tell whether \"" + std::string(cell(0, 0))
                    + "\" is a name or a value, as no column has only numbers; say header: yes or "
                      "no"
                    + (comma == cells_.end() ? "" : comma_hint(*comma)));
  }
  return words >= 0;
}

void CsvTable::take_header() {
  std::set<std::string> known;
  for (Index c = 0; c < columns_; ++c) {
    if (cell(0, c).empty())
      continue; // the index column of other programs has no name
    auto name = std::string(cell(0, c));
    if (!known.insert(name).second)
      throw DataError(place(0, c) + ": found the name \"" + name
                      + "\" a second time; rename one of the columns, or say header: no");
    names_[static_cast<std::size_t>(c)] = std::move(name);
  }
  has_header_ = true;
  cells_.erase(cells_.begin(), cells_.begin() + columns_);
  lines_.erase(lines_.begin());
  if (lines_.empty())
    throw DataError(file_
                    + ", line 2: found no row after the header, expected at least one; check "
                      "the file, or say header: no");
}

std::string CsvTable::place(Index row, Index column) const {
  return file_ + ", line " + std::to_string(lines_[static_cast<std::size_t>(row)]) + ", column "
         + std::to_string(column + 1) + (has_header_ ? " (" + name(column) + ")" : "");
}

Index CsvTable::column(const std::string& name_or_number, const std::string& option) const {
  const auto named = std::find(names_.begin(), names_.end(), name_or_number);
  if (named != names_.end())
    return named - names_.begin();
  const auto number = number_in<Index>(name_or_number);
  if (number && *number >= 1 && *number <= columns_)
    return *number - 1;
  if (number && *number <= -1 && *number >= -columns_)
    return columns_ + *number;
  throw std::invalid_argument("csv: " + option + " is \"" + name_or_number + "\", but " + file_
                              + " has no such column; give a name (" + some_names()
                              + "), a number from 1 to " + std::to_string(columns_)
                              + ", or -1 for the last");
}

Index CsvTable::trained_column(const std::string& name) const {
  const auto named = std::find(names_.begin(), names_.end(), name);
  if (named == names_.end())
    throw DataError(file_ + " has no column \"" + name
                    + "\", which the model was trained on; it has " + some_names()
                    + "; give its columns the names of that table, in any order");
  return named - names_.begin();
}

std::string CsvTable::some_names() const {
  constexpr Index most = 20;
  std::string names;
  for (Index c = 0; c < std::min(columns_, most); ++c)
    names += (c == 0 ? "" : ", ") + name(c);
  return names + (columns_ > most ? ", ..." : "");
}

} // namespace troupe
