#include "model/data/table/csv_table.hpp"

#include "base/failure.hpp"
#include "base/text/number_in.hpp"
#include "model/data/table/csv_header.hpp"
#include "model/data/table/csv_separator.hpp"
#include "model/data/table/csv_separator_text.hpp"
#include "model/data/table/csv_text.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

namespace troupe {

namespace {

constexpr std::uint64_t least_sample = 1 << 17; // bytes
constexpr std::size_t sampled_lines = 5;

/// The beginning of a text, with the lines by which a separator is found.
std::string beginning_of(const CsvSource& source) {
  std::string text;
  for (auto bytes = least_sample;; bytes *= 4) {
    source.read(0, bytes, text);
    std::size_t lines = 0, at = 0;
    while (lines < sampled_lines && (at = text.find_first_of("\r\n", at)) != text.npos) {
      ++lines;
      ++at;
    }
    if (lines == sampled_lines || text.size() == source.size())
      return text;
  }
}

void check_choice(const std::string& option, const std::string& value,
                  const std::vector<std::string>& choices) {
  if (std::find(choices.begin(), choices.end(), value) == choices.end())
    throw std::invalid_argument("csv: " + option + " is \"" + value + "\"; write " + choices[0]
                                + ", " + choices[1] + " or " + choices[2]);
}

} // namespace

CsvTable::CsvTable(const std::string& path, const CsvReading& reading)
  : cells_(path, MissingWords{reading.missing_words}) {
  check_choice("header", reading.header, {"auto", "yes", "no"});
  check_choice("decimal", reading.decimal, {"auto", "point", "comma"});
  read_cells(reading);
  leave_out_empty_columns();
  for (Index c = 0; c < columns(); ++c)
    names_.push_back(nth(c + 1));
  auto header = reading.header == "yes" || names_rows_;
  if (reading.header == "auto" && !header) {
    if (columns() == 1 && reading.separator != "auto")
      throw DataError(path + ": each line is one cell, since problem.separator is "
                      + reading.separator
                      + "; set it to what is between the cells, or leave it out");
    check_no_title(cells_);
    header = first_row_has_names(cells_);
  }
  if (header)
    take_header();
  else
    cells_.add_first_row();
  find_styles(reading.decimal);
}

void CsvTable::read_cells(const CsvReading& reading) {
  const auto beginning = beginning_of(cells_.source());
  const bool found = reading.separator == "auto";
  const auto named = named_separator(beginning);
  const auto separator
    = found && !named
        ? find_separator(beginning, file(), reading.likely_separator)
        : known_separator(beginning, found ? *named : separator_of_option(reading.separator));
  separator_ = separator.mark;
  names_rows_ = separator.names_rows && reading.header != "no";
  if (const auto& encoding = cells_.source().encoding(); !encoding.empty())
    notes_.push_back("the file is in " + encoding + " and was read as such");
  if (found && separator_ != ',')
    notes_.push_back("the separator is " + separator_text(separator_)
                     + (named ? ", as the first line says" : ""));
  cells_.read(separator_, names_rows_, reading.block_bytes, reading.memory);
}

/// Separators at the ends of all lines, as spreadsheets write them, are not columns.
void CsvTable::leave_out_empty_columns() {
  const auto left_out = cells_.leave_out_empty_columns();
  if (left_out > 0)
    notes_.push_back(
      "left out: the last "
      + (left_out == 1 ? std::string("column") : std::to_string(left_out) + " columns")
      + " of the table, without a name and without a value");
}

void CsvTable::take_header() {
  std::set<std::string> known;
  for (Index c = 0; c < columns(); ++c) {
    const auto& name = cells_.first()[static_cast<std::size_t>(c)];
    if (name.empty())
      continue; // the index column that other programs write has no name
    auto unique = name;
    for (int copy = 1; !known.insert(unique).second; ++copy)
      unique = name + "." + std::to_string(copy);
    if (unique != name)
      notes_.push_back("column " + std::to_string(c + 1) + " is called " + escaped_text(unique)
                       + ", as another one has the name " + escaped_text(name));
    names_[static_cast<std::size_t>(c)] = std::move(unique);
  }
  has_header_ = true;
  if (rows() == 0)
    throw DataError(file()
                    + ", line 2: found no row after the header, expected at least one; check "
                      "the file, or set problem.header=no");
}

void CsvTable::find_styles(const std::string& decimal) {
  const auto count = [this](const auto& needs) {
    Index columns_that_need = 0;
    for (Index c = 0; c < columns(); ++c)
      columns_that_need += needs(forms(c)) ? 1 : 0;
    return columns_that_need;
  };
  const auto points = count([](const ColumnForms& forms) { return forms.need_point(); });
  const auto commas = count([](const ColumnForms& forms) { return forms.need_comma(); });
  for (Index c = 0; c < columns(); ++c) {
    const auto& numbers = forms(c).numbers();
    NumberStyle style;
    bool unsure = false;
    if (numbers && decimal != "auto") {
      style = numbers->style(decimal == "comma" ? ',' : '.');
    } else if (numbers && numbers->depend_on_decimal()) {
      // 1,500 is 1500 beside 0.5, and 1.5 beside 0,75. If cells are separated by commas, a comma
      // inside a number groups thousands.
      const bool comma = commas > 0 && points == 0;
      style = numbers->style(comma ? ',' : '.');
      unsure = (commas > 0) == (points > 0)
               && (numbers->have_comma() ? separator_ != ',' : separator_ == ';');
    } else if (numbers) {
      style = numbers->style(numbers->fitting(',') > numbers->fitting('.') ? ',' : '.');
    }
    if (!style.plain)
      cells_.set_style(c, std::move(style));
    unsure_.push_back(unsure);
  }
}

void CsvTable::set_style(Index column, NumberStyle style) {
  cells_.set_style(column, std::move(style));
  unsure_[static_cast<std::size_t>(column)] = false;
}

void CsvTable::check_style(Index column) const {
  if (!unsure_[static_cast<std::size_t>(column)])
    return;
  for (Index row = 0; row < rows(); ++row) {
    const auto text = cell(row, column);
    const auto point = styled_number(text, forms(column).numbers()->style('.')),
               comma = styled_number(text, forms(column).numbers()->style(','));
    if (point && comma && *point != *comma)
      throw DataError(place(row, column) + ": cannot tell whether " + shown_cell(text)
                      + " has a decimal mark or thousands, and no other number of the table says; "
                        "set problem.decimal=point or problem.decimal=comma");
  }
}

std::string CsvTable::place(Index row, Index column) const {
  return cells_.place(row, column) + (has_header_ ? " (" + escaped_text(name(column)) + ")" : "");
}

Index CsvTable::column(const std::string& name_or_number, const std::string& option) const {
  const auto named = std::find(names_.begin(), names_.end(), name_or_number);
  if (named != names_.end())
    return named - names_.begin();
  const auto number = number_in<Index>(name_or_number);
  if (number && *number >= 1 && *number <= columns())
    return *number - 1;
  if (number && *number <= -1 && *number >= -columns())
    return columns() + *number;
  throw std::invalid_argument("csv: " + option + " is \"" + name_or_number + "\", but " + file()
                              + " has no such column; give a name (" + some_names()
                              + "), a number from 1 to " + std::to_string(columns())
                              + ", or -1 for the last");
}

Index CsvTable::trained_column(const std::string& name) const {
  const auto named = std::find(names_.begin(), names_.end(), name);
  if (named == names_.end())
    throw DataError(file() + " has no column \"" + name
                    + "\", which the model was trained on; it has " + some_names()
                    + "; give its columns the names of that table, in any order");
  return named - names_.begin();
}

std::string CsvTable::some_names() const {
  constexpr Index most = 20;
  std::string names;
  for (Index c = 0; c < std::min(columns(), most); ++c)
    names += (c == 0 ? "" : ", ") + escaped_text(name(c));
  return names + (columns() > most ? ", ..." : "");
}

} // namespace troupe
