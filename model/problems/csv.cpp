#include "troupe/model/problems/csv.hpp"

#include "troupe/model/problems/csv_features.hpp"
#include "troupe/model/problems/csv_target.hpp"
#include "troupe/model/problems/data_error.hpp"
#include "troupe/model/problems/row_copies.hpp"

#include <algorithm>
#include <stdexcept>

namespace troupe {

namespace {

constexpr Index most_numbers = Index{1} << 32;

char separator_of(const std::string& option) {
  if (option == "tab" || option == "\\t")
    return '\t';
  if (option.size() != 1 || option[0] == '"' || option[0] == '\n' || option[0] == '\r'
      || static_cast<unsigned char>(option[0]) >= 0x80 || option[0] == '\0')
    throw std::invalid_argument("csv: separator is \"" + option
                                + "\"; give one character such as , or ;, or tab");
  return option[0];
}

std::vector<Index> columns_of(const CsvTable& table, const std::vector<std::string>& names,
                              const std::string& option) {
  std::vector<Index> columns;
  for (const auto& name : names)
    columns.push_back(table.column(name, option));
  return columns;
}

bool contains(const std::vector<Index>& columns, Index column) {
  return std::find(columns.begin(), columns.end(), column) != columns.end();
}

/// The rows to use, by what the option `missing` says about missing cells.
std::vector<Index> complete_rows(const CsvTable& table, const std::vector<Index>& features,
                                 Index label, const std::string& missing) {
  if (missing != "error" && missing != "drop" && missing != "mean")
    throw std::invalid_argument("csv: missing is \"" + missing + "\"; write error, drop or mean");
  std::vector<Index> rows;
  bool labelled = false;
  for (Index row = 0; row < table.rows(); ++row) {
    const auto misses = [&](Index column) { return is_missing(table.cell(row, column)); };
    auto hole = std::find_if(features.begin(), features.end(), misses);
    if (missing == "error" && (misses(label) || hole != features.end()))
      throw DataError(table.place(row, misses(label) ? label : *hole)
                      + ": found no value, expected one; fill the cell, ignore the column, or say "
                        "missing: drop or mean");
    labelled = labelled || !misses(label);
    if (!misses(label) && (missing == "mean" || hole == features.end()))
      rows.push_back(row);
  }
  if (rows.empty())
    throw DataError(table.place(0, label) + ": found no row without missing cells"
                    + (labelled ? "; say missing: mean, or ignore columns"
                                : " in the label; choose another label"));
  return rows;
}

/// What `header: auto` is in tables that are read as an earlier one was.
std::string header_by(const CsvFit& fit, const CsvOptions& options) {
  return options.header != "auto" ? options.header : fit.header ? "yes" : "no";
}

/// Columns without names are known by their places, of which none may be new.
void check_places(const CsvTable& table, const CsvFit& fit, Index columns) {
  if (!fit.header && table.columns() != columns)
    throw DataError(table.file() + " has " + std::to_string(table.columns())
                    + " columns, but the table that the model was trained on has "
                    + std::to_string(fit.columns)
                    + ", without names, so that each is known by its place; give a table with the "
                      "same columns");
}

std::vector<Index> features_by(const CsvTable& table, const CsvFit& fit) {
  std::vector<Index> columns;
  for (const auto& feature : fit.features)
    columns.push_back(table.trained_column(feature.name));
  return columns;
}

} // namespace

Csv::Csv(CsvOptions options, const std::string& fit) {
  if (options.path.empty())
    throw std::invalid_argument("csv: give the path of a file");
  const auto fitted = !fit.empty();
  if (fitted)
    fit_ = csv_fit_from(fit);
  const CsvTable table(options.path, separator_of(options.separator),
                       fitted ? header_by(fit_, options) : options.header);
  const auto columns = fitted ? fitted_columns(table) : wanted_columns(table, options);
  const auto rows = complete_rows(table, columns.features, columns.label, options.missing);
  split_ = split_rows(static_cast<Index>(rows.size()), options.validation_fraction,
                      options.test_fraction, options.split_seed);
  fit_.data = table.data();
  if (!fitted) {
    fit_.header = table.has_header();
    fit_.columns = table.columns();
    std::vector<Index> training;
    for (auto row : split_.train)
      training.push_back(rows[static_cast<std::size_t>(row)]);
    fit_.features
      = fit_columns(table, columns.features, columns_of(table, options.categorical, "categorical"),
                    training, options.standardize);
  }
  read_features(table, columns, rows);
  auto target = fitted ? read_target(table, columns.label, rows, fit_.target)
                       : read_target(table, columns.label, rows, options.task);
  classes_ = std::move(target.classes);
  targets_ = std::move(target.values);
  if (!fitted) {
    fit_.target.name = table.name(columns.label);
    fit_.target.classes = std::move(target.levels);
    if (options.standardize && !targets_.empty())
      fit_target();
  }
  spec_ = data_spec(fit_);
  standardize_target();
}

Csv::Columns Csv::wanted_columns(const CsvTable& table, const CsvOptions& options) const {
  Columns columns{table.column(options.label, "label")};
  const auto ignored = columns_of(table, options.ignore, "ignore");
  if (contains(ignored, columns.label))
    throw std::invalid_argument("csv: the label " + table.name(columns.label)
                                + " is among the columns to ignore; take it out there");
  for (Index c = 0; c < table.columns(); ++c)
    if (c != columns.label && !contains(ignored, c))
      columns.features.push_back(c);
  if (columns.features.empty())
    throw DataError(table.place(0, columns.label)
                    + ": found no column beside the label, expected at least "
                    + "one; set the right separator (now \"" + options.separator
                    + "\"), or ignore fewer columns");
  return columns;
}

Csv::Columns Csv::fitted_columns(const CsvTable& table) const {
  check_places(table, fit_, fit_.columns);
  return {table.trained_column(fit_.target.name), features_by(table, fit_)};
}

void Csv::read_features(const CsvTable& table, const Columns& columns,
                        std::span<const Index> rows) {
  const FeatureEncoder encoder(table, columns.features, fit_.features);
  const auto size = static_cast<Index>(rows.size());
  if (encoder.width() > most_numbers / size)
    throw DataError(table.place(0, columns.features[0]) + ": " + std::to_string(size) + " rows of "
                    + std::to_string(encoder.width())
                    + " features are more than 2^32 numbers, the limit; ignore columns with many "
                      "levels");
  features_.resize(static_cast<std::size_t>(size * encoder.width()));
  for (Index i = 0; i < size; ++i)
    encoder.encode(rows[static_cast<std::size_t>(i)], features_.data() + i * encoder.width());
}

void Csv::fit_target() {
  Moments moments;
  for (auto row : split_.train)
    moments.add(targets_[static_cast<std::size_t>(row)]);
  fit_.target.mean = moments.mean;
  fit_.target.deviation = moments.deviation();
}

void Csv::standardize_target() {
  const auto& [name, classes, mean, deviation] = fit_.target;
  if (mean == 0 && deviation == 1) // not standardised: the numbers stay as they are, to the bit
    return;
  const auto scale = deviation > 0 ? 1 / deviation : 0;
  for (auto& target : targets_)
    target = static_cast<float>((target - mean) * scale);
}

Index Csv::size(Section section) const { return static_cast<Index>(split_.of(section).size()); }

void Csv::gather(Section section, std::span<const Index> rows, Batch& batch) const {
  const auto& of_file = split_.of(section);
  resize(batch, spec_, static_cast<Index>(rows.size()));
  const auto width = spec_.inputs[0].width();
  const auto row_at = [&](std::size_t i) { return row_of_file(of_file, rows[i]); };
  auto* x = batch.inputs[0].values.data();
  copy_each_row(features_.data(), width, rows.size(), row_at,
                [&](std::size_t, const float* row) { x = std::copy_n(row, width, x); });
  auto& target = batch.targets[0];
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto row = static_cast<std::size_t>(row_at(i));
    if (classes_.empty())
      target.values[i] = targets_[row];
    else
      target.classes[i] = classes_[row];
  }
}

CsvRows read_csv_rows(const CsvOptions& options, const std::string& fit) {
  const auto known = csv_fit_from(fit);
  const CsvTable table(options.path, separator_of(options.separator), header_by(known, options));
  const auto without_label
    = table.columns() == known.columns - 1 && known.target.name == CsvTable::nth(known.columns);
  check_places(table, known, without_label ? known.columns - 1 : known.columns);
  const auto columns = features_by(table, known);
  const FeatureEncoder encoder(table, columns, known.features);
  CsvRows rows{table.rows(), encoder.width(), {}};
  if (rows.width > most_numbers / rows.rows)
    throw DataError(options.path + " has more than 2^32 numbers, the limit; give it in parts");
  rows.features.resize(static_cast<std::size_t>(rows.rows * rows.width));
  for (Index row = 0; row < rows.rows; ++row) {
    for (const auto column : columns)
      if (options.missing != "mean" && is_missing(table.cell(row, column)))
        throw DataError(table.place(row, column)
                        + ": found no value, expected one, as the model was trained on rows "
                          "without missing cells; fill the cell, or leave out the row");
    encoder.encode(row, rows.features.data() + row * rows.width);
  }
  return rows;
}

} // namespace troupe
