#include "model/data/table/csv_header.hpp"

#include "base/failure.hpp"
#include "model/data/table/csv_numbers.hpp"
#include "model/data/table/csv_text.hpp"

#include <algorithm>
#include <cmath>

namespace troupe {

namespace {

/// Columns with numbers (or dates) below the first row, by their cell in the first row.
struct Headings {
  std::vector<Index> words, numbers, missing; // columns
};

const std::string& heading(const CsvCells& table, Index column) {
  return table.first()[static_cast<std::size_t>(column)];
}

bool has_missing_heading(const CsvCells& table, Index column) {
  return table.is_missing(heading(table, column));
}

bool is_value(const CsvCells& table, Index column) {
  const auto& cell = heading(table, column);
  const auto& forms = table.forms(column);
  if (parse_number(cell))
    return true;
  if (forms.are_dates())
    return date_in(cell, forms.dates().order()).has_value();
  return !forms.all_plain()
         && (styled_number(cell, forms.numbers()->style('.'))
             || styled_number(cell, forms.numbers()->style(',')));
}

Headings headings_of(const CsvCells& table) {
  Headings headings;
  for (Index c = 0; c < table.columns(); ++c) {
    const auto& forms = table.forms(c);
    const bool value = is_value(table, c);
    const bool word = !value && !has_missing_heading(table, c);
    const bool typed
      = forms.known() > 0 ? forms.are_numbers() || forms.are_dates() : table.rows() == 0 && !word;
    if (typed)
      (word                         ? headings.words
       : value || table.rows() == 0 ? headings.numbers
                                    : headings.missing)
        .push_back(c);
  }
  return headings;
}

/// The difference between neighbouring numbers of a row of integers in arithmetic progression.
/// @param number_in a column
/// @returns the difference, 0 if there is no progression
template <class NumberIn>
double step_of(const NumberIn& number_in, const std::vector<Index>& columns) {
  double step = 0;
  std::optional<double> before;
  for (const auto column : columns) {
    const std::optional<double> number = number_in(column);
    if (!number || *number != std::floor(*number))
      return 0;
    if (before && (*number <= *before || (step != 0 && *number - *before != step)))
      return 0;
    step = before ? *number - *before : 0;
    before = number;
  }
  return step;
}

double step_of_headings(const CsvCells& table, const std::vector<Index>& columns) {
  return step_of([&](Index column) { return parse_number(heading(table, column)); }, columns);
}

/// True if the first row is a progression, and most of the next rows are none or another.
bool only_first_row_counts(const CsvCells& table, const std::vector<Index>& columns) {
  constexpr Index looked_at = 10;
  const auto step = columns.size() < 2 || table.rows() < 2 ? 0 : step_of_headings(table, columns);
  Index counting = 0;
  const auto end = std::min(table.rows(), looked_at);
  for (Index row = 0; row < end; ++row)
    counting
      += step_of([&](Index column) { return CellCursor(table, column).number(row); }, columns)
             == step
           ? 1
           : 0;
  return step != 0 && 2 * counting < end;
}

bool is_year(double number) {
  return number >= 1800 && number <= 2100 && number == std::floor(number);
}

/// Columns of words that do or do not repeat the word in the first row.
struct Votes {
  Index header = 0, data = 0;
};

Votes votes_of_words(const CsvCells& table) {
  constexpr Index enough = 8; // rows
  Votes votes;
  for (Index c = 0; c < table.columns(); ++c) {
    const auto& forms = table.forms(c);
    if (has_missing_heading(table, c) || forms.known() == 0 || forms.are_numbers()
        || forms.are_dates())
      continue;
    const auto& words = table.words(c);
    Index levels = 0;
    for (CsvWords::Number word = 0; word < words.size(); ++word)
      levels += table.is_missing(words[word]) ? 0 : 1;
    if (words.contains(heading(table, c)))
      ++votes.data;
    else if (forms.known() >= enough && 2 * levels <= forms.known())
      ++votes.header;
  }
  return votes;
}

/// True if the first row has years above numbers that are no years.
bool has_years_above_others(const CsvCells& table, const std::vector<Index>& columns) {
  for (const auto c : columns) {
    const auto year = parse_number(heading(table, c));
    if (!year || !is_year(*year))
      return false;
    CellCursor cells(table, c);
    for (Index row = 0; row < table.rows(); ++row)
      if (const auto number = cells.number(row); number && is_year(*number))
        return false;
  }
  return true;
}

/// True for 0, 1, 2 or 1, 2, 3 below the first row, an index that other programs write.
bool counts_rows(const CsvCells& table, Index column) {
  if (table.rows() < 2)
    return false;
  CellCursor cells(table, column);
  const auto first = cells.number(0);
  if (first != 0. && first != 1.)
    return false;
  for (Index row = 0; row < table.rows(); ++row)
    if (cells.number(row) != *first + static_cast<double>(row))
      return false;
  return true;
}

[[noreturn]] void refuse_first_row(const CsvCells& table, Index column, const std::string& why) {
  throw DataError(table.place_in_first(column) + ": cannot tell whether "
                  + shown_cell(heading(table, column)) + " is a name or a value, " + why
                  + "; set problem.header=yes or problem.header=no");
}

bool numbers_are_names(const CsvCells& table, const std::vector<Index>& columns) {
  const auto first = parse_number(heading(table, columns[0]));
  if (only_first_row_counts(table, columns)) {
    const bool counts = step_of_headings(table, columns) == 1 && (*first == 0 || *first == 1);
    const bool unnamed = heading(table, 0).empty();
    if (is_year(*first) || (counts && (columns.size() >= 3 || unnamed)))
      return true;
  }
  const auto votes = votes_of_words(table);
  if (has_years_above_others(table, columns) && votes.data == 0
      && static_cast<Index>(columns.size()) < table.columns())
    refuse_first_row(table, columns[0], "as it is a year above numbers that are none");
  return false;
}

} // namespace

void check_no_title(const CsvCells& table) {
  if (table.columns() < 3 || table.rows() < 2)
    return;
  const auto rows = parse_number(heading(table, 0)), columns = parse_number(heading(table, 1));
  const auto below = static_cast<double>(table.rows());
  for (Index c = 2; c < table.columns(); ++c)
    if (parse_number(heading(table, c)))
      return;
  if (columns == static_cast<double>(table.columns() - 1) && (rows == below || rows == below - 1))
    throw DataError(table.place_in_first(0) + ": found a title that counts the rows and columns, "
                    + heading(table, 0) + " and " + heading(table, 1)
                    + ", as in scikit-learn's tables; delete that line");
}

bool first_row_has_names(const CsvCells& table) {
  const auto [words, numbers, missing] = headings_of(table);
  if (!words.empty() && numbers.empty())
    return true;
  if (words.empty() && !numbers.empty())
    return table.rows() > 0 && numbers_are_names(table, numbers);
  if (!words.empty()) {
    if (only_first_row_counts(table, numbers)
        || (words.size() >= 2 && words.size() > numbers.size()
            && has_years_above_others(table, numbers)))
      return true;
    throw DataError(table.place_in_first(words[0]) + ": found "
                    + shown_cell(heading(table, words[0]))
                    + " above numbers, as in a header, but column " + std::to_string(numbers[0] + 1)
                    + " has a number there, as in a row of data; correct the cell, or set "
                      "problem.header=yes or problem.header=no");
  }
  const auto votes = votes_of_words(table);
  if (!missing.empty() && heading(table, missing[0]).empty() && counts_rows(table, missing[0]))
    return true;
  if (votes.header >= votes.data + 2 || (votes.header > 0 && votes.data == 0))
    return true;
  if (votes.data > 0 && votes.data >= votes.header)
    return false;
  if (!missing.empty() && !heading(table, missing[0]).empty())
    return false;
  if (table.rows() == 0)
    throw DataError(table.place_in_first(0)
                    + ": found only this line, expected rows of values; check the file");
  refuse_first_row(table, 0, "as no column has only numbers");
}

} // namespace troupe
