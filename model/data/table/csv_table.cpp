#include "model/data/table/csv_table.hpp"

#include "base/files/data_error.hpp"
#include "base/text/number_in.hpp"
#include "model/data/table/csv_encoding.hpp"
#include "model/data/table/csv_header.hpp"
#include "model/data/table/csv_reader.hpp"
#include "model/data/table/csv_separator.hpp"
#include "model/data/table/csv_separator_text.hpp"
#include "model/data/table/csv_text.hpp"
#include "model/data/table/foreign_table.hpp"
#include "model/formats/data_file.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

namespace troupe {

namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{2} << 30;

void check_choice(const std::string& option, const std::string& value,
                  const std::vector<std::string>& choices) {
  if (std::find(choices.begin(), choices.end(), value) == choices.end())
    throw std::invalid_argument("csv: " + option + " is \"" + value + "\"; write " + choices[0]
                                + ", " + choices[1] + " or " + choices[2]);
}

} // namespace

CsvTable::CsvTable(const std::string& path, const CsvReading& reading)
  : cells_{path, read_text(path, most_bytes), MissingWords{reading.missing_words}},
    data_(checksum(std::as_bytes(std::span{cells_.text}))) {
  check_choice("header", reading.header, {"auto", "yes", "no"});
  check_choice("decimal", reading.decimal, {"auto", "point", "comma"});
  read_cells(reading);
  leave_out_empty_columns();
  for (Index c = 0; c < cells_.columns; ++c)
    names_.push_back(nth(c + 1));
  auto header = reading.header == "yes" || names_rows_;
  cells_.find_forms(reading.header == "no" ? 0 : 1);
  if (reading.header == "auto" && !header) {
    if (cells_.columns == 1 && reading.separator != "auto")
      throw DataError(path + ": each line is one cell, since problem.separator is "
                      + reading.separator
                      + "; set it to what is between the cells, or leave it out");
    check_no_title(cells_);
    header = first_row_has_names(cells_);
    if (!header)
      cells_.find_forms(0);
  }
  if (header && reading.header != "no")
    take_header();
  find_styles(reading.decimal);
}

void CsvTable::read_cells(const CsvReading& reading) {
  refuse_foreign_table(cells_.text, cells_.file);
  auto [text, encoding] = utf8_text(std::move(cells_.text), cells_.file);
  cells_.text = std::move(text);
  const bool found = reading.separator == "auto";
  const auto named = named_separator(cells_.text);
  const auto separator
    = found && !named
        ? find_separator(cells_.text, cells_.file, reading.likely_separator)
        : known_separator(cells_.text, found ? *named : separator_of_option(reading.separator));
  separator_ = separator.mark;
  names_rows_ = separator.names_rows && reading.header != "no";
  if (!encoding.empty())
    notes_.push_back("the file is in " + encoding + " and was read as such");
  if (found && separator_ != ',')
    notes_.push_back("the separator is " + separator_text(separator_)
                     + (named ? ", as the first line says" : ""));
  CsvReader reader(cells_.text, cells_.file, separator_);
  for (CsvRecord record; reader.next(record);) {
    if (cells_.lines.empty() && names_rows_)
      record.cells.insert(record.cells.begin(), std::string_view());
    const auto n = static_cast<Index>(record.cells.size());
    if (cells_.lines.empty())
      cells_.columns = n;
    if (n != cells_.columns)
      throw DataError(
        cells_.file + ", line " + std::to_string(record.line) + ", column "
        + std::to_string(std::min(n, cells_.columns) + 1) + ": found " + std::to_string(n)
        + " cells, expected " + std::to_string(cells_.columns) + " as in line "
        + std::to_string(cells_.lines[0]) + ", with the separator " + separator_text(separator_)
        + (cells_.lines.size() == 1
             ? "; take line " + std::to_string(cells_.lines[0]) + " out if it is a title, "
             : "; ")
        + "quote cells that contain the separator, or set the right one by "
          "problem.separator");
    cells_.lines.push_back(record.line);
    cells_.values.insert(cells_.values.end(), record.cells.begin(), record.cells.end());
  }
  if (cells_.lines.empty())
    throw DataError(cells_.file + ", line 1: found no row, expected at least one; check the file");
}

/// Separators at the ends of all lines, as spreadsheets write them, are not columns.
void CsvTable::leave_out_empty_columns() {
  auto kept = cells_.columns;
  const auto is_empty = [this](Index column) {
    for (Index row = 0; row < rows(); ++row)
      if (!cell(row, column).empty())
        return false;
    return true;
  };
  while (kept > 1 && is_empty(kept - 1))
    --kept;
  if (kept == cells_.columns)
    return;
  notes_.push_back("left out: the last "
                   + (cells_.columns - kept == 1
                        ? std::string("column")
                        : std::to_string(cells_.columns - kept) + " columns")
                   + " of the table, without a name and without a value");
  std::vector<std::string_view> cells;
  for (Index row = 0; row < rows(); ++row)
    for (Index column = 0; column < kept; ++column)
      cells.push_back(cell(row, column));
  cells_.values = std::move(cells);
  cells_.columns = kept;
}

void CsvTable::take_header() {
  std::set<std::string> known;
  for (Index c = 0; c < cells_.columns; ++c) {
    if (cell(0, c).empty())
      continue; // the index column that other programs write has no name
    const auto name = std::string(cell(0, c));
    auto unique = name;
    for (int copy = 1; !known.insert(unique).second; ++copy)
      unique = name + "." + std::to_string(copy);
    if (unique != name)
      notes_.push_back("column " + std::to_string(c + 1) + " is called " + escaped_text(unique)
                       + ", as another one has the name " + escaped_text(name));
    names_[static_cast<std::size_t>(c)] = std::move(unique);
  }
  has_header_ = true;
  cells_.values.erase(cells_.values.begin(), cells_.values.begin() + cells_.columns);
  cells_.lines.erase(cells_.lines.begin());
  if (cells_.lines.empty())
    throw DataError(cells_.file
                    + ", line 2: found no row after the header, expected at least one; check "
                      "the file, or set problem.header=no");
}

void CsvTable::find_styles(const std::string& decimal) {
  const auto count = [this](const auto& needs) {
    return std::count_if(cells_.forms.begin(), cells_.forms.end(), needs);
  };
  const auto points = count([](const ColumnForms& forms) { return forms.need_point(); });
  const auto commas = count([](const ColumnForms& forms) { return forms.need_comma(); });
  for (const auto& forms : cells_.forms) {
    const auto& numbers = forms.numbers();
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
    styles_.push_back(std::move(style));
    unsure_.push_back(unsure);
  }
}

void CsvTable::set_style(Index column, NumberStyle style) {
  styles_[static_cast<std::size_t>(column)] = std::move(style);
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
  if (number && *number >= 1 && *number <= cells_.columns)
    return *number - 1;
  if (number && *number <= -1 && *number >= -cells_.columns)
    return cells_.columns + *number;
  throw std::invalid_argument("csv: " + option + " is \"" + name_or_number + "\", but "
                              + cells_.file + " has no such column; give a name (" + some_names()
                              + "), a number from 1 to " + std::to_string(cells_.columns)
                              + ", or -1 for the last");
}

Index CsvTable::trained_column(const std::string& name) const {
  const auto named = std::find(names_.begin(), names_.end(), name);
  if (named == names_.end())
    throw DataError(cells_.file + " has no column \"" + name
                    + "\", which the model was trained on; it has " + some_names()
                    + "; give its columns the names of that table, in any order");
  return named - names_.begin();
}

std::string CsvTable::some_names() const {
  constexpr Index most = 20;
  std::string names;
  for (Index c = 0; c < std::min(cells_.columns, most); ++c)
    names += (c == 0 ? "" : ", ") + escaped_text(name(c));
  return names + (cells_.columns > most ? ", ..." : "");
}

} // namespace troupe
