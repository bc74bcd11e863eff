#include "model/data/table/csv.hpp"

#include "base/failure.hpp"
#include "base/text/byte_size.hpp"
#include "model/data/problem_kind.hpp"
#include "model/data/reading_threads.hpp"
#include "model/data/table/csv_features.hpp"
#include "model/data/table/csv_notes.hpp"
#include "model/data/table/csv_rows.hpp"
#include "model/data/table/csv_separator.hpp"
#include "model/data/table/csv_separator_text.hpp"
#include "model/data/table/csv_split.hpp"
#include "model/data/table/csv_target.hpp"
#include "model/data/table/csv_text.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <stdexcept>
#include <utility>

namespace troupe {

namespace {

constexpr Index most_numbers = Index{1} << 32;

/// Bytes; 0: no limit.
std::uint64_t memory_of(const CsvOptions& options) {
  if (options.memory.empty())
    return 0;
  const auto bytes = byte_size_in(options.memory);
  if (!bytes || *bytes == 0)
    throw std::invalid_argument("csv: memory is \"" + options.memory
                                + "\"; write a size such as 512MB or 4GB, or leave it out");
  return *bytes;
}

CsvReading reading_of(const CsvOptions& options) {
  return {.separator = options.separator,
          .header = options.header,
          .decimal = options.decimal,
          .missing_words = options.missing_words,
          .memory = memory_of(options)};
}

std::vector<Index> indices_of(const CsvTable& table, const std::vector<std::string>& names,
                              const std::string& option) {
  std::vector<Index> columns;
  for (const auto& name : names)
    columns.push_back(table.column(name, option));
  return columns;
}

bool contains(const std::vector<Index>& columns, Index column) {
  return std::find(columns.begin(), columns.end(), column) != columns.end();
}

/// The reading that the options ask for; if they leave it open, that of the fitted table.
CsvReading reading_by(const CsvFit& fit, const CsvOptions& options) {
  auto reading = reading_of(options);
  reading.likely_separator = fit.separator;
  if (options.header == "auto")
    reading.header = fit.header ? "yes" : "no";
  return reading;
}

/// Columns without names are identified by position, so no column may be added or removed.
void check_places(const CsvTable& table, const CsvFit& fit, Index columns) {
  if (!fit.header && table.columns() != columns)
    throw DataError(table.file() + " has " + std::to_string(table.columns())
                    + " columns, but the table that the model was trained on has "
                    + std::to_string(fit.columns)
                    + ", without names, so that columns are identified by position; give a table "
                      "with the same columns");
}

/// The columns of the fit, without duplicates.
std::vector<Index> features_by(const CsvTable& table, const CsvFit& fit) {
  std::vector<Index> columns;
  for (const auto& feature : fit.features)
    if (const auto column = table.trained_column(feature.name); !contains(columns, column))
      columns.push_back(column);
  return columns;
}

/// The column of each fit; the parts of a date share one column.
std::vector<Index> column_of_each_fit(const CsvTable& table, const CsvFit& fit) {
  std::vector<Index> columns;
  for (const auto& feature : fit.features)
    columns.push_back(table.trained_column(feature.name));
  return columns;
}

/// Converts rows to features, and frees the memory of the table's cells meanwhile.
/// @param memory as in CsvReading
/// @param cure for more numbers than the limit
FeatureRows encoded_rows(CsvTable& table, const CsvFit& fit, const TableRows& rows,
                         std::uint64_t memory, const std::string& cure) {
  constexpr Index numbers_at_once = 1 << 16; // fit the cache
  const auto columns = column_of_each_fit(table, fit);
  std::vector<Index> with_words;
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (!fit.features[i].numeric || !fit.features[i].date.empty())
      with_words.push_back(columns[i]);
  table.read_words(with_words);
  const FeatureEncoder encoder(table, columns, fit.features);
  const auto width = encoder.width();
  if (width > most_numbers / rows.size())
    throw DataError(table.place(0, columns[0]) + ": " + std::to_string(rows.size()) + " rows of "
                    + std::to_string(width) + " features are more than 2^32 numbers, the limit; "
                    + cure);
  const auto bytes = static_cast<std::uint64_t>(rows.size() * width) * sizeof(float);
  FeatureRows features(rows.size(), width, spill_beyond(memory, bytes));
  const auto piece = std::max<Index>(1, numbers_at_once / width);
  const auto at_once = 4 * piece * static_cast<Index>(count_reading_threads());
  for (Index begin = 0; begin < rows.size(); begin += at_once) {
    const auto end = std::min(begin + at_once, rows.size());
    std::vector<Index> some;
    for (auto i = begin; i < end; ++i)
      some.push_back(rows[i]);
    std::atomic<bool> encoded = true;
    for_each_on_threads(
      static_cast<std::uint64_t>((end - begin + piece - 1) / piece), [&](std::size_t i) {
        const auto first = static_cast<Index>(i) * piece;
        const auto count = std::min(piece, end - begin - first);
        if (!encoder.encode(std::span{some}.subspan(static_cast<std::size_t>(first),
                                                    static_cast<std::size_t>(count)),
                            features.row(begin + first).data()))
          encoded = false;
      });
    if (!encoded)
      encoder.check(some);
    table.release_before(some.back());
    features.wrote(end - begin);
  }
  features.finish();
  return features;
}

/// @throws DataError for the first missing cell of the columns
void refuse_missing_cells(const CsvTable& table, std::span<const Index> columns) {
  std::vector<std::pair<Index, CellCursor>> holed;
  for (const auto column : columns)
    if (table.forms(column).known() < table.rows())
      holed.emplace_back(column, table.cells(column));
  for (Index row = 0; row < table.rows(); ++row)
    for (auto& [column, cells] : holed)
      if (cells.is_missing(row))
        throw DataError(table.place(row, column)
                        + ": found no value, expected one, as the model was trained on rows "
                          "without missing cells; fill the cell, or remove the row");
}

/// Numbers are written as in the fitted table.
void set_styles(CsvTable& table, const CsvFit& fit) {
  for (const auto& feature : fit.features)
    if (feature.numeric && feature.date.empty())
      table.set_style(table.trained_column(feature.name), feature.style);
}

void check_csv_options(const CsvOptions& options) {
  if (options.path.empty())
    throw std::invalid_argument("csv: give the path of a file");
  const auto check = [](const char* option, const std::string& value,
                        std::array<const char*, 3> choices) {
    if (std::find(choices.begin(), choices.end(), value) == choices.end())
      throw std::invalid_argument(std::string("csv: ") + option + " is \"" + value + "\"; write "
                                  + choices[0] + ", " + choices[1] + " or " + choices[2]);
  };
  check("dates", options.dates, {"words", "number", "parts"});
  check("day_first", options.day_first, {"auto", "yes", "no"});
}

} // namespace

Csv::Csv(CsvOptions options, const std::string& fit, const ChooseTrainingRows& choose) {
  check_csv_options(options);
  const auto fitted = !fit.empty();
  if (fitted)
    fit_ = csv_fit_from(fit);
  CsvTable table(options.path, fitted ? reading_by(fit_, options) : reading_of(options));
  const auto columns = fitted ? fitted_columns(table) : wanted_columns(table, options);
  if (fitted) {
    set_styles(table, fit_);
    table.set_style(columns.label, fit_.target.style);
  }
  const auto used
    = used_rows(table, columns.features, columns.label, options.missing, options.task);
  const auto& rows = used.rows;
  if (options.split == "column")
    table.read_words({table.column(options.split_column, "split_column")});
  split_ = options.split == "column"
             ? split_by_column(table, table.column(options.split_column, "split_column"), rows)
             : split_rows(rows.size(), split_options(options));
  const bool chosen = choose && !fitted;
  const auto choice = chosen ? trained_rows(split_, choose) : std::vector<Index>{};
  const std::span<const Index> trained = chosen ? choice : split_.train;
  fit_.data = table.data();
  std::vector<Index> of_table;
  if (rows.size() < table.rows())
    for (const auto row : trained)
      of_table.push_back(rows[row]);
  const auto training = of_table.empty() ? trained : of_table;
  if (!fitted) {
    const auto categorical = indices_of(table, options.categorical, "categorical");
    table.read_words(categorical);
    fit_.separator = table.separator();
    fit_.header = table.has_header();
    fit_.columns = table.columns();
    fit_.features = fit_columns(table, columns.features, training,
                                {.categorical = categorical,
                                 .standardize = options.standardize,
                                 .dates = options.dates,
                                 .day_first = options.day_first});
  }
  take_target(table, columns.label, rows, trained, options, fitted);
  spec_ = data_spec(fit_);
  auto all = columns.features;
  all.push_back(columns.label);
  notes_ = notes_on_table(table, fit_, used, all, training);
  features_
    = encoded_rows(table, fit_, rows, memory_of(options), "ignore columns with many levels");
  if (const auto* spill = features_.spill())
    notes_.push_back("the features exceed problem.memory and are in a temporary file of "
                     + byte_size_text(spill->size()) + " in " + spill->folder());
}

Csv::Columns Csv::wanted_columns(const CsvTable& table, const CsvOptions& options) const {
  Columns columns{table.column(options.label, "label")};
  const auto ignored = indices_of(table, options.ignore, "ignore");
  if (contains(ignored, columns.label))
    throw std::invalid_argument("csv: the label " + table.name(columns.label)
                                + " is among the columns to ignore; remove it there");
  const auto split
    = options.split == "column" ? table.column(options.split_column, "split_column") : Index{-1};
  if (split == columns.label)
    throw std::invalid_argument("csv: the column to predict, " + table.name(split)
                                + ", is also the one that says which section a row belongs to; "
                                  "choose another label");
  for (Index c = 0; c < table.columns(); ++c)
    if (c != columns.label && c != split && !contains(ignored, c))
      columns.features.push_back(c);
  if (columns.features.empty())
    throw DataError(table.place(0, columns.label)
                    + ": found no column besides the label, expected at least "
                      "one; set the right problem.separator (now "
                    + separator_text(table.separator()) + "), or ignore fewer columns");
  return columns;
}

Csv::Columns Csv::fitted_columns(const CsvTable& table) const {
  check_places(table, fit_, fit_.columns);
  return {table.trained_column(fit_.target.name), features_by(table, fit_)};
}

void Csv::take_target(CsvTable& table, Index label, const TableRows& rows,
                      std::span<const Index> trained, const CsvOptions& options, bool fitted) {
  auto target = fitted ? read_target(table, label, rows, fit_.target)
                       : read_target(table, label, rows, options.task);
  if (!fitted) {
    keep_trained_classes(target, trained);
    fit_.target.name = table.name(label);
    fit_.target.classes = std::move(target.levels);
    fit_.target.untrained = std::move(target.untrained);
    fit_.target.style = target.style;
    if (options.standardize && target.classes.empty()) {
      Moments moments;
      auto cells = table.cells(label);
      for (const auto row : trained)
        moments.add(*cells.number(rows[row]));
      fit_.target.mean = moments.mean;
      fit_.target.deviation = moments.deviation();
    }
  }
  classes_ = std::move(target.classes);
  if (classes_.empty())
    standardize_target(table, label, rows);
}

/// In double: float32 has too few digits for the seconds of a time stamp.
void Csv::standardize_target(const CsvTable& table, Index label, const TableRows& rows) {
  const auto mean = fit_.target.mean, deviation = fit_.target.deviation;
  const bool plain = mean == 0 && deviation == 1; // then the numbers stay the same, bit for bit
  const auto scale = deviation > 0 ? 1 / deviation : 0;
  auto cells = table.cells(label);
  targets_.reserve(static_cast<std::size_t>(rows.size()));
  for (Index i = 0; i < rows.size(); ++i) {
    const auto value = *cells.number(rows[i]);
    targets_.push_back(static_cast<float>(plain ? value : (value - mean) * scale));
  }
}

std::vector<std::string> Csv::reading_notes() const {
  auto lines = reading_text(fit_);
  lines.insert(lines.end(), notes_.begin(), notes_.end());
  const auto& untrained = fit_.target.untrained;
  const auto unknown = std::count(classes_.begin(), classes_.end(), masked_class);
  if (unknown > 0)
    lines.push_back(std::to_string(unknown) + (unknown == 1 ? " row is" : " rows are")
                    + " of a class without training rows: " + some_of(untrained)
                    + "; no metric counts them");
  return lines;
}

Index Csv::size(Section section) const { return static_cast<Index>(split_.of(section).size()); }

void Csv::gather(Section section, std::span<const Index> rows, Batch& batch) const {
  const auto& of_file = split_.of(section);
  resize(batch, spec_, static_cast<Index>(rows.size()));
  const auto row_at = [&](std::size_t i) { return row_of_file(of_file, rows[i]); };
  features_.copy(rows.size(), row_at, batch.inputs[0].values.data());
  auto& target = batch.targets[0];
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto row = static_cast<std::size_t>(row_at(i));
    if (classes_.empty())
      target.values[i] = targets_[row];
    else
      target.classes[i] = classes_[row];
  }
}

FeatureRows read_csv_rows(const CsvOptions& options, const std::string& fit) {
  const auto known = csv_fit_from(fit);
  CsvTable table(options.path, reading_by(known, options));
  const auto without_label
    = table.columns() == known.columns - 1 && known.target.name == CsvTable::nth(known.columns);
  check_places(table, known, without_label ? known.columns - 1 : known.columns);
  set_styles(table, known);
  const auto columns = features_by(table, known);
  if (options.missing != "mean")
    refuse_missing_cells(table, columns);
  return encoded_rows(table, known, TableRows::first(table.rows()), memory_of(options),
                      "give it in parts");
}

namespace {

const RegisterProblem csv_kind{problem_kind<Csv, CsvOptions>("csv")};

} // namespace

} // namespace troupe
