#include "model/data/table/csv_features.hpp"

#include "base/failure.hpp"
#include "model/data/reading_threads.hpp"
#include "model/data/table/csv_text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace troupe {

namespace {

constexpr auto not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t most_levels = 1000; // a column with more has names or numbers, not levels

const std::vector<std::string> parts_of_dates{"year", "month",  "day",   "weekday",
                                              "hour", "minute", "second"};

/// Suggests what to do about a cell that is not a number.
std::string cure_of_word(const CsvTable& table, Index column, std::string_view cell) {
  const bool simple = cell.size() <= 20 && cell.find_first_of("'\"\\\n\r") == cell.npos;
  return "; correct the cell, "
         + (simple ? "treat it as a missing value: problem.missing_words='[+, \""
                       + std::string(cell) + "\"]' problem.missing=mean, "
                   : std::string())
         + "or list the column: problem.categorical=" + list_of_one(table.name(column))
         + " or problem.ignore=" + list_of_one(table.name(column));
}

/// An example of how the other numbers of the column are written.
std::string number_like_others(const CsvTable& table, Index column,
                               std::span<const Index> training) {
  auto cells = table.cells(column);
  if (!table.style(column).plain)
    for (const auto row : training)
      if (cells.number(row) && !parse_number(table.cell(row, column)))
        return "a number written like " + shown_cell(table.cell(row, column));
  return "a number that fits float32";
}

/// How training rows use a word of a column.
struct WordUse {
  std::size_t rows = 0;
  std::size_t first = 0; ///< the first of them
};

/// The cells of a column in the training rows.
struct ColumnUse {
  std::vector<WordUse> words; ///< by number of the word
  std::size_t numbers = 0;    ///< that are no words

  /// The words that occur, in the order in which they first do.
  std::vector<CsvWords::Number> in_order() const {
    std::vector<CsvWords::Number> used;
    for (std::size_t word = 0; word < words.size(); ++word)
      if (words[word].rows > 0)
        used.push_back(static_cast<CsvWords::Number>(word));
    std::sort(used.begin(), used.end(), [this](auto a, auto b) {
      return words[static_cast<std::size_t>(a)].first < words[static_cast<std::size_t>(b)].first;
    });
    return used;
  }
};

ColumnUse use_of(const CsvTable& table, Index column, std::span<const Index> training) {
  ColumnUse use{std::vector<WordUse>(static_cast<std::size_t>(table.words(column).size()))};
  auto cells = table.cells(column);
  for (std::size_t i = 0; i < training.size(); ++i) {
    const auto word = cells.word(training[i]);
    if (word == CellRun::no_word)
      ++use.numbers;
    else if (auto& of_word = use.words[static_cast<std::size_t>(word)]; of_word.rows++ == 0)
      of_word.first = i;
  }
  return use;
}

/// All cells of a column are numbers or missing, as far as they are read as numbers.
bool is_plain(const CsvTable& table, Index column, bool categorical) {
  return table.forms(column).all_plain() && table.style(column).plain && !categorical;
}

bool has_value(const CsvTable& table, Index column, std::span<const Index> training) {
  auto cells = table.cells(column);
  return std::any_of(training.begin(), training.end(),
                     [&](Index row) { return !cells.is_missing(row); });
}

/// @param use of the column; none where it is_plain() and without values
bool holds_numbers(const CsvTable& table, Index column, const ColumnUse& use,
                   std::span<const Index> training, bool categorical) {
  auto cells = table.cells(column);
  auto numbers = use.numbers;
  std::size_t words = 0;
  Index word_row = 0; // the first row with one
  for (const auto word : use.in_order()) {
    const auto& of_word = use.words[static_cast<std::size_t>(word)];
    const auto row = training[of_word.first];
    if (cells.is_missing(row))
      continue;
    if (cells.number(row)) {
      numbers += of_word.rows;
      continue;
    }
    if (!categorical && is_beyond_float(table.cell(row, column)))
      throw DataError(table.place(row, column) + ": found " + shown_cell(table.cell(row, column))
                      + ", expected a number that fits float32"
                      + cure_of_word(table, column, table.cell(row, column)));
    word_row = words == 0 ? row : word_row;
    words += of_word.rows;
  }
  if (numbers + words == 0)
    throw DataError(
      table.place(training[0], column)
      + ": found no value in this or any other training row; ignore the column: problem.ignore="
      + list_of_one(table.name(column)));
  if (numbers > words && words > 0 && !categorical)
    throw DataError(table.place(word_row, column) + ": found "
                    + shown_cell(table.cell(word_row, column)) + ", expected "
                    + number_like_others(table, column, training) + ", as "
                    + std::to_string(numbers) + " training rows have"
                    + cure_of_word(table, column, table.cell(word_row, column)));
  return words == 0 && !categorical;
}

inline void add_number(Moments& moments, double x) {
  ++moments.count;
  const auto before = x - moments.mean;
  moments.mean += before / static_cast<double>(moments.count);
  moments.squares += before * (x - moments.mean);
}

/// A column of numbers, and the fit that it gets.
struct NumberFit {
  std::size_t fit = 0;
  CellCursor cells;
  Moments moments = {};
};

/// Fits several columns at once: each number of a column has to wait for the moments of those before.
void fit_numbers(std::span<NumberFit> columns, std::span<const Index> training) {
  const auto for_each_thread = columns.size() / (2 * count_reading_threads());
  const auto at_once = std::clamp<std::size_t>(for_each_thread, 2, 8);
  for_each_on_threads((columns.size() + at_once - 1) / at_once, [&](std::size_t piece) {
    const auto first = piece * at_once;
    const auto some = columns.subspan(first, std::min(at_once, columns.size() - first));
    for (const auto row : training)
      for (auto& column : some)
        if (const auto number = column.cells.known_number(row); !std::isnan(number))
          add_number(column.moments, number);
  });
}

/// A part of the dates of a column, by word; NaN for a word that is no date.
std::vector<double> parts_of_words(const CsvTable& table, Index column, const ColumnFit& fit) {
  std::vector<double> parts;
  const auto& words = table.words(column);
  for (CsvWords::Number word = 0; word < words.size(); ++word) {
    const auto date = date_in(words[word], fit.order);
    parts.push_back(date ? date_part(*date, fit.date) : not_a_number);
  }
  return parts;
}

void fit_date_part(ColumnFit& fit, const CsvTable& table, Index column,
                   std::span<const Index> training) {
  const auto parts = parts_of_words(table, column, fit);
  Moments moments;
  auto cells = table.cells(column);
  for (const auto row : training)
    if (const auto part = parts[static_cast<std::size_t>(cells.word(row))]; !std::isnan(part))
      moments.add(part);
  fit.mean = moments.mean;
  fit.deviation = moments.deviation();
}

void fit_levels(ColumnFit& fit, const CsvTable& table, Index column, const ColumnUse& use,
                std::span<const Index> training) {
  std::set<std::string, std::less<>> levels; // sorted, so that the order of rows does not matter
  auto cells = table.cells(column);
  for (const auto word : use.in_order()) {
    const auto row = training[use.words[static_cast<std::size_t>(word)].first];
    const auto cell = table.cell(row, column);
    levels.emplace(cells.is_missing(row) ? std::string_view() : cell);
    if (levels.size() > most_levels)
      throw DataError(
        table.place(row, column) + ": found level " + std::to_string(most_levels + 1)
        + " of the column, " + shown_cell(cell) + ", expected numbers or at most "
        + std::to_string(most_levels)
        + " levels; ignore the column: problem.ignore=" + list_of_one(table.name(column))
        + (table.forms(column).are_dates() ? ", or set problem.dates=number or problem.dates=parts"
                                           : ", or correct the cells that are no numbers"));
  }
  fit.levels.assign(levels.begin(), levels.end());
}

DateOrder order_of(const CsvTable& table, Index column, const std::string& day_first) {
  const auto& dates = table.forms(column).dates();
  if (!dates.depend_on_order())
    return dates.order();
  if (day_first == "auto")
    throw DataError(table.place(0, column) + ": cannot tell the day from the month of "
                    + shown_cell(table.cell(0, column))
                    + ", nor of any other date of the column; set problem.day_first=yes or "
                      "problem.day_first=no");
  return day_first == "yes" ? DateOrder::day_month : DateOrder::month_day;
}

/// The fit of a column of dates, or one fit for each part that varies.
std::vector<ColumnFit> fit_dates(const ColumnFit& of, const CsvTable& table, Index column,
                                 std::span<const Index> training, const std::string& dates) {
  const auto part = [&](const std::string& name) {
    auto fit = of;
    fit.date = name;
    fit_date_part(fit, table, column, training);
    return fit;
  };
  if (dates == "number")
    return {part("number")};
  std::vector<ColumnFit> fits;
  for (const auto& name : parts_of_dates)
    if (auto fit = part(name); fit.deviation > 0)
      fits.push_back(std::move(fit));
  return fits.empty() ? std::vector<ColumnFit>{part("number")} : fits;
}

} // namespace

void Moments::add(double x) { add_number(*this, x); }

double Moments::deviation() const {
  const auto deviation = count > 0 ? std::sqrt(squares / static_cast<double>(count)) : 0;
  return deviation > 1e-12 * std::abs(mean) ? deviation : 0;
}

std::string list_of_one(const std::string& name) {
  const auto simple = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  if (!name.empty() && std::all_of(name.begin(), name.end(), simple))
    return "[" + name + "]";
  std::string quoted; // for YAML, within single quotes of the shell
  for (const char c : name)
    switch (c) {
    case '\n': quoted += "\\n"; break;
    case '\r': quoted += "\\r"; break;
    case '\t': quoted += "\\t"; break;
    case '\'': quoted += "'\\''"; break;
    case '"':
    case '\\': quoted += '\\'; [[fallthrough]];
    default: quoted += c;
    }
  return "'[\"" + quoted + "\"]'";
}

std::vector<ColumnFit> fit_columns(const CsvTable& table, std::span<const Index> columns,
                                   std::span<const Index> training, const FeatureOptions& options) {
  std::vector<ColumnFit> fits;
  std::vector<NumberFit> numbers;
  const auto is_categorical = [&](Index column) {
    return std::find(options.categorical.begin(), options.categorical.end(), column)
           != options.categorical.end();
  };
  std::vector<ColumnUse> uses(columns.size());
  for_each_on_threads(columns.size(), [&](std::size_t i) {
    if (!is_plain(table, columns[i], is_categorical(columns[i])))
      uses[i] = use_of(table, columns[i], training);
  });
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto column = columns[i];
    ColumnFit fit{.name = table.name(column)};
    const bool categorical = is_categorical(column);
    if (options.dates != "words" && table.forms(column).are_dates() && !categorical) {
      fit.standardized = options.standardize;
      fit.order = order_of(table, column, options.day_first);
      for (auto& part : fit_dates(fit, table, column, training, options.dates))
        fits.push_back(std::move(part));
      continue;
    }
    fit.numeric = (is_plain(table, column, categorical) && has_value(table, column, training))
                  || holds_numbers(table, column, uses[i], training, categorical);
    if (fit.numeric) {
      table.check_style(column);
      fit.style = table.style(column);
    }
    fit.standardized = fit.numeric && options.standardize;
    if (fit.numeric)
      numbers.push_back({.fit = fits.size(), .cells = table.cells(column)});
    else
      fit_levels(fit, table, column, uses[i], training);
    fits.push_back(std::move(fit));
  }
  fit_numbers(numbers, training);
  for (const auto& column : numbers) {
    fits[column.fit].mean = column.moments.mean;
    fits[column.fit].deviation = column.moments.deviation();
  }
  return fits;
}

FeatureEncoder::FeatureEncoder(const CsvTable& table, std::span<const Index> columns,
                               const std::vector<ColumnFit>& fits)
  : table_(table) {
  for (std::size_t i = 0; i < fits.size(); ++i) {
    const auto& fit = fits[i];
    Column column{.index = columns[i], .first = width_, .numeric = fit.numeric};
    column.date = !fit.date.empty();
    if (column.date)
      column.parts = parts_of_words(table, columns[i], fit);
    column.missing = fit.mean;
    if (fit.standardized) {
      column.mean = fit.mean;
      column.scale = fit.deviation > 0 ? 1 / fit.deviation : 0;
    }
    if (!fit.numeric)
      column.levels = levels_of_words(table, columns[i], fit.levels);
    width_ += fit.numeric ? 1 : static_cast<Index>(fit.levels.size());
    columns_.push_back(std::move(column));
  }
}

/// @returns the number of each word's level, or no_level
std::vector<Index> FeatureEncoder::levels_of_words(const CsvTable& table, Index column,
                                                   const std::vector<std::string>& levels) {
  std::map<std::string_view, Index> numbers;
  for (const auto& level : levels)
    numbers.emplace(level, static_cast<Index>(numbers.size()));
  const auto& words = table.words(column);
  std::vector<Index> of_words;
  for (CsvWords::Number word = 0; word < words.size(); ++word) {
    const auto level
      = numbers.find(table.means_missing(words[word]) ? std::string_view() : words[word]);
    of_words.push_back(level == numbers.end() ? no_level : level->second);
  }
  return of_words;
}

/// @returns NaN for a cell that is neither a number nor missing
double FeatureEncoder::number(CellCursor& cells, Index row, const Column& column) {
  if (const auto number = column.date ? not_a_number : cells.known_number(row); number == number)
    return number;
  if (cells.is_missing(row))
    return column.missing;
  return column.date ? column.parts[static_cast<std::size_t>(cells.word(row))] : not_a_number;
}

bool FeatureEncoder::encode(std::span<const Index> rows, float* out) const {
  bool encoded = true;
  for (const auto& column : columns_) {
    auto cells = table_.cells(column.index);
    auto* to = out + column.first;
    for (auto row = rows.begin(); row != rows.end(); ++row, to += width()) {
      if (!column.numeric) {
        const auto level = column.levels[static_cast<std::size_t>(cells.word(*row))];
        if (level != no_level)
          to[level] = 1;
        continue;
      }
      const auto number = this->number(cells, *row, column);
      encoded = encoded && !std::isnan(number);
      *to = static_cast<float>((number - column.mean) * column.scale);
    }
  }
  return encoded;
}

void FeatureEncoder::check(std::span<const Index> rows) const {
  for (const auto row : rows)
    for (const auto& column : columns_) {
      auto cells = table_.cells(column.index);
      if (!column.numeric || !std::isnan(number(cells, row, column)))
        continue;
      const auto cell = table_.cell(row, column.index);
      throw DataError(table_.place(row, column.index) + ": found " + shown_cell(cell)
                      + (column.date
                           ? ", expected a date, as all training rows have"
                           : ", expected a number that fits float32, as all training rows have")
                      + cure_of_word(table_, column.index, cell));
    }
}

} // namespace troupe
