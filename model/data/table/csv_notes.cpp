#include "model/data/table/csv_notes.hpp"

#include "base/text/text.hpp"
#include "model/data/reading_threads.hpp"
#include "model/data/table/csv_features.hpp"
#include "model/data/table/csv_sentinel.hpp"
#include "model/data/table/csv_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>

namespace troupe {

namespace {

constexpr std::size_t most_named = 10; // columns
constexpr std::size_t enough_levels = 20;
constexpr std::size_t enough_classes = 10;

/// Columns whose numbers are written in the same style, with the first such number.
std::vector<std::string> notes_on_styles(const CsvTable& table, const std::vector<Index>& columns) {
  std::vector<std::string> notes;
  std::set<Index> noted;
  for (const auto column : columns) {
    const auto& style = table.style(column);
    if (style.plain || noted.count(column) > 0)
      continue;
    std::vector<std::string> names;
    for (const auto other : columns)
      if (table.style(other) == style && noted.insert(other).second)
        names.push_back(escaped_text(table.name(other)));
    auto cells = table.cells(column);
    for (Index row = 0; row < table.rows(); ++row) {
      const auto number = cells.number(row);
      if (!number || parse_number(table.cell(row, column)) == number)
        continue;
      notes.push_back(first_joined(names, most_named) + ": numbers such as "
                      + shown_cell(table.cell(row, column)) + " are read as " + shortest(*number));
      break;
    }
  }
  return notes;
}

/// "note 160 (empty), sex 11 (empty 3, NA 8)"
std::string missing_text(const CsvTable& table, const std::vector<MissingCells>& missing) {
  std::vector<std::string> columns;
  for (const auto& cells : missing) {
    const auto words = joined(cells.words, ", ", [&cells](const auto& counted) {
      const auto& [word, count] = counted;
      return (word.empty() ? "empty" : escaped_text(word))
             + (cells.words.size() == 1 ? "" : " " + std::to_string(count));
    });
    columns.push_back(escaped_text(table.name(cells.column)) + " " + std::to_string(cells.count())
                      + " (" + words + ")");
  }
  return first_joined(columns, most_named);
}

/// @param single the only column besides the label, which cannot be left out
std::string hint_on_levels(const CsvTable& table, Index column, std::size_t levels,
                           std::size_t rows, bool single) {
  const auto name = escaped_text(table.name(column));
  const auto list = list_of_one(table.name(column));
  if (table.forms(column).are_dates())
    return "hint: " + name + " has "
           + (table.forms(column).dates().have_date() ? "dates" : "times of day") + ", read as "
           + std::to_string(levels)
           + " words; problem.dates=number or problem.dates=parts reads them as numbers"
           + (single ? "" : ", problem.ignore=" + list + " ignores them");
  if (levels < enough_levels || 2 * levels <= rows)
    return "";
  return "hint: " + name + " has " + std::to_string(levels) + " levels in " + std::to_string(rows)
         + " training rows, nearly one for each, which do not generalise to other rows"
         + (single ? "" : "; ignore it with problem.ignore=" + list);
}

/// For the column to predict, if classes have hardly more than one row each.
std::string hint_on_classes(const CsvTable& table, Index column, std::size_t classes,
                            std::size_t rows) {
  if (classes < enough_classes || 2 * classes <= rows)
    return "";
  return "hint: " + escaped_text(table.name(column)) + ", the column to predict, has "
         + std::to_string(classes) + " classes in " + std::to_string(rows)
         + " training rows, nearly one for each; "
         + (table.forms(column).are_numbers() ? "problem.task=regression predicts it as a number"
                                              : "choose another column with problem.label");
}

/// For columns where most words are numbers in some style, but not all in the same one.
std::string hint_on_styles(const CsvTable& table, Index column) {
  const auto& numbers = table.forms(column).numbers();
  if (!numbers || table.forms(column).are_numbers() || table.forms(column).are_dates()
      || 2 * numbers->number_like() <= numbers->cells())
    return "";
  Index written = -1, other = -1;
  auto cells = table.cells(column);
  for (Index row = 0; row < table.rows() && (written < 0 || other < 0); ++row)
    if (!cells.is_missing(row))
      (cells.number(row) ? written : other) = row;
  if (written < 0)
    return "";
  const auto cell = [&](Index row) {
    return shown_cell(table.cell(row, column)) + " in " + table.place(row, column);
  };
  return "hint: most words of " + escaped_text(table.name(column))
         + " look like numbers, but are not written in one style: " + cell(written)
         + (other < 0 ? std::string() : ", " + cell(other))
         + "; write them in one style to have them read as numbers";
}

/// 0, 1, 2 ... or 1, 2, 3 ..., as programs number rows.
bool numbers_rows(const CsvTable& table, Index column) {
  auto cells = table.cells(column);
  const auto first = cells.number(0);
  if (table.rows() < static_cast<Index>(enough_levels) || (first != 0. && first != 1.))
    return false;
  for (Index row = 0; row < table.rows(); ++row)
    if (cells.number(row) != *first + static_cast<double>(row))
      return false;
  return true;
}

constexpr std::size_t most_digits = 16; // that a double holds

/// The first rows in which columns have codes such as 01234, or whole numbers above 2^53.
std::map<Index, Index> rows_with_codes(const CsvTable& table, std::span<const Index> columns) {
  constexpr Index looked_at = 1000;
  std::map<Index, Index> rows;
  for (Index row = 0; row < std::min(table.rows(), looked_at); ++row)
    for (const auto column : columns)
      if (const auto cell = table.cell(row, column);
          cell.size() > 1 && (cell[0] == '0' || cell.size() > most_digits) && is_digits(cell))
        rows.emplace(column, row);
  return rows;
}

/// Codes are not quantities.
std::string hint_on_codes(const CsvTable& table, Index column, Index row) {
  const auto name = escaped_text(table.name(column)), cell = std::string(table.cell(row, column));
  const auto cure
    = "; problem.categorical=" + list_of_one(table.name(column)) + " reads them as words";
  return "hint: " + name
         + (cell.size() > most_digits
              ? " has numbers such as " + cell + ", whose last digits are lost"
              : " has numbers with leading zeros, such as " + cell + ", as codes have")
         + cure;
}

/// For numbers that differ by less than float32 can represent.
std::string hint_on_digits(const std::string& name, double mean, double deviation) {
  constexpr double digits = 1e-5; // of the mean: some 100 steps of float32
  if (deviation == 0 || deviation > digits * std::abs(mean))
    return "";
  return "hint: " + escaped_text(name) + " has numbers around " + shortest(std::round(mean))
         + ", which float32 can hardly distinguish; problem.standardize=true subtracts the mean "
           "first";
}

std::string hint_on_sentinel(const CsvTable& table, Index column,
                             const std::optional<Sentinel>& sentinel) {
  if (!sentinel)
    return "";
  const auto words = joined(texts_of(table, column, sentinel->number), ", ", escaped_text);
  return "hint: " + escaped_text(table.name(column)) + " is " + words + " in "
         + std::to_string(sentinel->rows) + " of " + std::to_string(table.rows())
         + " rows, far from its other numbers (" + shortest(sentinel->smallest) + " to "
         + shortest(sentinel->largest) + "); if that means missing, problem.missing_words='[+, "
         + words + "]' problem.missing=drop leaves these rows out";
}

const ColumnFit* fit_of_column(const CsvFit& fit, const std::string& name) {
  const auto found = std::find_if(fit.features.begin(), fit.features.end(),
                                  [&](const ColumnFit& column) { return column.name == name; });
  return found == fit.features.end() ? nullptr : &*found;
}

/// What takes a look at all cells of a column.
struct ColumnHints {
  std::optional<Sentinel> sentinel = {};
  bool numbers_rows = false;
};

std::vector<std::string> hints_on_columns(const CsvTable& table, const CsvFit& fit,
                                          std::span<const Index> columns, std::size_t training) {
  std::vector<std::string> hints;
  const auto codes = rows_with_codes(table, columns);
  std::vector<ColumnHints> hints_of(columns.size());
  for_each_on_threads(columns.size(), [&](std::size_t i) {
    const auto* feature = fit_of_column(fit, table.name(columns[i]));
    if (feature != nullptr && feature->numeric && columns[i] != columns.back())
      hints_of[i] = {feature->date.empty() ? sentinel_of(table, columns[i]) : std::nullopt,
                     numbers_rows(table, columns[i])};
  });
  const bool single = columns.size() <= 2; // the only column besides the label cannot be left out
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto column = columns[i];
    const auto* feature = fit_of_column(fit, table.name(column));
    const bool label = column == columns.back();
    if (!label && feature != nullptr && feature->numeric) {
      if (feature->date.empty()) {
        if (const auto code = codes.find(column); code != codes.end())
          hints.push_back(hint_on_codes(table, column, code->second));
        hints.push_back(hint_on_sentinel(table, column, hints_of[i].sentinel));
      }
      if (!feature->standardized)
        hints.push_back(hint_on_digits(feature->name, feature->mean, feature->deviation));
      if (!single && hints_of[i].numbers_rows)
        hints.push_back("hint: " + escaped_text(table.name(column))
                        + " counts the rows; ignore it with problem.ignore="
                        + list_of_one(table.name(column)));
      continue;
    }
    const auto& levels = label || feature == nullptr ? fit.target.classes : feature->levels;
    if (levels.empty())
      continue;
    if (auto hint = hint_on_styles(table, column); !hint.empty())
      hints.push_back(std::move(hint));
    else if (!label)
      hints.push_back(hint_on_levels(table, column, levels.size(), training, single));
    else
      hints.push_back(hint_on_classes(table, column, levels.size(), training));
  }
  return hints;
}

/// The columns in which a row must have no missing cell to be used.
std::vector<std::string> columns_to_fill(const CsvTable& table, const UsedRows& used, Index label) {
  std::vector<std::string> names;
  for (const auto& cells : used.missing)
    if (used.complete || cells.column == label)
      names.push_back(escaped_text(table.name(cells.column)));
  return names;
}

std::string hint_on_target(const CsvTable& table, const TargetFit& target, Index label,
                           std::span<const Index> training) {
  if (target.mean != 0 || target.deviation != 1) // standardised
    return "";
  Moments moments;
  auto cells = table.cells(label);
  for (const auto row : training)
    if (const auto number = cells.number(row))
      moments.add(*number);
  return hint_on_digits(target.name, moments.mean, moments.deviation());
}

/// Words that mean missing in other columns, and are a class here.
std::string note_on_classes(const CsvFit& fit) {
  const MissingWords words;
  std::vector<std::string> classes;
  for (const auto& name : fit.target.classes)
    if (words.contains(name))
      classes.push_back(escaped_text(name));
  return classes.empty()
           ? ""
           : "hint: " + first_joined(classes, most_named) + (classes.size() == 1 ? " is" : " are")
               + " read as any other class of " + escaped_text(fit.target.name)
               + ": only an empty cell of the column to predict has no value";
}

} // namespace

std::vector<std::string> notes_on_table(const CsvTable& table, const CsvFit& fit,
                                        const UsedRows& used, std::span<const Index> columns,
                                        std::span<const Index> training) {
  auto notes = table.notes();
  std::vector<Index> numeric;
  for (const auto column : columns) {
    const auto* feature = fit_of_column(fit, table.name(column));
    if (column == columns.back() ? fit.target.classes.empty()
                                 : feature != nullptr && feature->numeric && feature->date.empty())
      numeric.push_back(column);
  }
  for (auto& note : notes_on_styles(table, numeric))
    notes.push_back(std::move(note));
  if (!used.missing.empty())
    notes.push_back("cells without a value: " + missing_text(table, used.missing));
  const auto left_out = table.rows() - used.rows.size();
  if (left_out > 0)
    notes.push_back("left out: " + std::to_string(left_out) + " of " + std::to_string(table.rows())
                    + " rows, for their cells of "
                    + first_joined(columns_to_fill(table, used, columns.back()), most_named));
  notes.push_back(note_on_classes(fit));
  if (fit.target.classes.empty()) {
    notes.push_back(hint_on_sentinel(table, columns.back(), sentinel_of(table, columns.back())));
    notes.push_back(hint_on_target(table, fit.target, columns.back(), training));
  }
  for (auto& hint : hints_on_columns(table, fit, columns, training.size()))
    notes.push_back(std::move(hint));
  notes.erase(std::remove(notes.begin(), notes.end(), ""), notes.end());
  return notes;
}

} // namespace troupe
