#include "model/data/table/csv_header.hpp"

#include "base/files/data_error.hpp"
#include "model/data/table/csv_numbers.hpp"
#include "model/data/table/csv_text.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace troupe {

namespace {

/// Columns with numbers (or dates) below the first row, by their cell in the first row.
struct Headings {
  std::vector<Index> words, numbers, missing; // columns
};

bool is_value(const CsvCells& table, Index column) {
  const auto cell = table.cell(0, column);
  const auto& forms = table.forms[std::size_t(column)];
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
  for (Index c = 0; c < table.columns; ++c) {
    const auto& forms = table.forms[std::size_t(c)];
    const bool value = is_value(table, c);
    const bool word = !value && !table.is_missing(0, c);
    const bool typed
      = forms.known() > 0 ? forms.are_numbers() || forms.are_dates() : table.rows() == 1 && !word;
    if (typed)
      (word                         ? headings.words
       : value || table.rows() == 1 ? headings.numbers
                                    : headings.missing)
        .push_back(c);
  }
  return headings;
}

/// The difference between neighbouring cells of a row of integers in arithmetic progression.
/// @returns the difference, 0 if there is no progression
double step_of(const CsvCells& table, Index row, const std::vector<Index>& columns) {
  double step = 0;
  std::optional<double> before;
  for (const auto column : columns) {
    const auto number = parse_number(table.cell(row, column));
    if (!number || *number != std::floor(*number))
      return 0;
    if (before && (*number <= *before || (step != 0 && *number - *before != step)))
      return 0;
    step = before ? *number - *before : 0;
    before = number;
  }
  return step;
}

/// True if the first row is a progression, and most of the next rows are none or another.
bool only_first_row_counts(const CsvCells& table, const std::vector<Index>& columns) {
  constexpr Index looked_at = 10;
  const auto step = columns.size() < 2 || table.rows() < 3 ? 0 : step_of(table, 0, columns);
  Index counting = 0;
  const auto end = std::min(table.rows(), looked_at + 1);
  for (Index row = 1; row < end; ++row)
    counting += step_of(table, row, columns) == step ? 1 : 0;
  return step != 0 && 2 * counting < end - 1;
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
  for (Index c = 0; c < table.columns; ++c) {
    const auto& forms = table.forms[std::size_t(c)];
    if (table.is_missing(0, c) || forms.known() == 0 || forms.are_numbers() || forms.are_dates())
      continue;
    std::set<std::string_view> levels;
    for (Index r = 1; r < table.rows(); ++r)
      if (!table.is_missing(r, c))
        levels.insert(table.cell(r, c));
    if (levels.count(table.cell(0, c)) > 0)
      ++votes.data;
    else if (forms.known() >= enough && 2 * static_cast<Index>(levels.size()) <= forms.known())
      ++votes.header;
  }
  return votes;
}

/// True if the first row has years above numbers that are no years.
bool has_years_above_others(const CsvCells& table, const std::vector<Index>& columns) {
  for (const auto c : columns) {
    const auto heading = parse_number(table.cell(0, c));
    if (!heading || !is_year(*heading))
      return false;
    for (Index r = 1; r < table.rows(); ++r) {
      const auto number = parse_number(table.cell(r, c));
      if (number && is_year(*number))
        return false;
    }
  }
  return true;
}

/// True for 0, 1, 2 or 1, 2, 3 below the first row, an index that other programs write.
bool counts_rows(const CsvCells& table, Index column) {
  const auto first = parse_number(table.cell(1, column));
  if (table.rows() < 3 || (first != 0. && first != 1.))
    return false;
  for (Index row = 1; row < table.rows(); ++row)
    if (parse_number(table.cell(row, column)) != *first + static_cast<double>(row - 1))
      return false;
  return true;
}

[[noreturn]] void refuse_first_row(const CsvCells& table, Index column, const std::string& why) {
  throw DataError(table.place(0, column) + ": cannot tell whether "
                  + shown_cell(table.cell(0, column)) + " is a name or a value, " + why
                  + "; set problem.header=yes or problem.header=no");
}

bool numbers_are_names(const CsvCells& table, const std::vector<Index>& columns) {
  const auto first = parse_number(table.cell(0, columns[0]));
  if (only_first_row_counts(table, columns)) {
    const bool counts = step_of(table, 0, columns) == 1 && (*first == 0 || *first == 1);
    const bool unnamed = table.cell(0, 0).empty();
    if (is_year(*first) || (counts && (columns.size() >= 3 || unnamed)))
      return true;
  }
  const auto votes = votes_of_words(table);
  if (has_years_above_others(table, columns) && votes.data == 0
      && static_cast<Index>(columns.size()) < table.columns)
    refuse_first_row(table, columns[0], "as it is a year above numbers that are none");
  return false;
}

} // namespace

void check_no_title(const CsvCells& table) {
  if (table.columns < 3 || table.rows() < 3)
    return;
  const auto rows = parse_number(table.cell(0, 0)), columns = parse_number(table.cell(0, 1));
  const auto below = static_cast<double>(table.rows() - 1);
  for (Index c = 2; c < table.columns; ++c)
    if (parse_number(table.cell(0, c)))
      return;
  if (columns == static_cast<double>(table.columns - 1) && (rows == below || rows == below - 1))
    throw DataError(table.place(0, 0) + ": found a title that counts the rows and columns, "
                    + std::string(table.cell(0, 0)) + " and " + std::string(table.cell(0, 1))
                    + ", as in scikit-learn's tables; delete that line");
}

bool first_row_has_names(const CsvCells& table) {
  const auto [words, numbers, missing] = headings_of(table);
  if (!words.empty() && numbers.empty())
    return true;
  if (words.empty() && !numbers.empty())
    return table.rows() > 1 && numbers_are_names(table, numbers);
  if (!words.empty()) {
    if (only_first_row_counts(table, numbers)
        || (words.size() >= 2 && words.size() > numbers.size()
            && has_years_above_others(table, numbers)))
      return true;
    throw DataError(table.place(0, words[0]) + ": found " + shown_cell(table.cell(0, words[0]))
                    + " above numbers, as in a header, but column " + std::to_string(numbers[0] + 1)
                    + " has a number there, as in a row of data; correct the cell, or set "
                      "problem.header=yes or problem.header=no");
  }
  const auto votes = votes_of_words(table);
  if (!missing.empty() && table.cell(0, missing[0]).empty() && counts_rows(table, missing[0]))
    return true;
  if (votes.header >= votes.data + 2 || (votes.header > 0 && votes.data == 0))
    return true;
  if (votes.data > 0 && votes.data >= votes.header)
    return false;
  if (!missing.empty() && !table.cell(0, missing[0]).empty())
    return false;
  if (table.rows() == 1)
    throw DataError(table.place(0, 0)
                    + ": found only this line, expected rows of values; check the file");
  refuse_first_row(table, 0, "as no column has only numbers");
}

} // namespace troupe
