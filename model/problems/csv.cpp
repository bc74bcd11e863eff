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
  for (Index row = 0; row < table.rows(); ++row) {
    const auto misses = [&](Index column) { return is_missing(table.cell(row, column)); };
    auto hole = std::find_if(features.begin(), features.end(), misses);
    if (missing == "error" && (misses(label) || hole != features.end()))
      throw DataError(table.place(row, misses(label) ? label : *hole)
                      + ": found no value, expected one; fill the cell, ignore the column, or say "
                        "missing: drop or mean");
    if (!misses(label) && (missing == "mean" || hole == features.end()))
      rows.push_back(row);
  }
  if (rows.empty())
    throw DataError(table.place(0, label) + ": found no row without missing cells"
                    + (missing == "drop" ? "; say missing: mean, or ignore columns"
                                         : " in the label; choose another label"));
  return rows;
}

} // namespace

Csv::Csv(CsvOptions options) {
  if (options.path.empty())
    throw std::invalid_argument("csv: give the path of a file");
  const CsvTable table(options.path, separator_of(options.separator), options.header);
  const auto label = table.column(options.label, "label");
  const auto ignored = columns_of(table, options.ignore, "ignore");
  const auto categorical = columns_of(table, options.categorical, "categorical");
  if (contains(ignored, label))
    throw std::invalid_argument("csv: the label " + table.name(label)
                                + " is among the columns to ignore; take it out there");
  std::vector<Index> columns;
  for (Index c = 0; c < table.columns(); ++c)
    if (c != label && !contains(ignored, c))
      columns.push_back(c);
  if (columns.empty())
    throw DataError(table.place(0, label) + ": found no column beside the label, expected at least "
                    + "one; set the right separator (now \"" + options.separator
                    + "\"), or ignore fewer columns");

  const auto rows = complete_rows(table, columns, label, options.missing);
  const auto size = static_cast<Index>(rows.size());
  split_ = split_rows(size, options.validation_fraction, options.test_fraction, options.split_seed);
  std::vector<Index> training;
  for (auto row : split_.train)
    training.push_back(rows[static_cast<std::size_t>(row)]);

  const FeatureEncoder encoder(table, columns, categorical, training, options.standardize);
  feature_names_ = encoder.names();
  if (encoder.width() > most_numbers / size)
    throw DataError(table.place(0, columns[0]) + ": " + std::to_string(size) + " rows of "
                    + std::to_string(encoder.width())
                    + " features are more than 2^32 numbers, the limit; ignore columns with many "
                      "levels");
  features_.resize(static_cast<std::size_t>(size * encoder.width()));
  for (Index i = 0; i < size; ++i)
    encoder.encode(rows[static_cast<std::size_t>(i)], features_.data() + i * encoder.width());

  auto target = read_target(table, label, rows, options.task);
  classes_ = std::move(target.classes);
  targets_ = std::move(target.values);
  class_names_ = std::move(target.levels);
  spec_.inputs = {{"features", ElementType::float32, {any_size, encoder.width()}, 0}};
  spec_.targets = {std::move(target.field)};
  if (options.standardize && !targets_.empty())
    standardize_target();
}

void Csv::standardize_target() {
  Moments moments;
  for (auto row : split_.train)
    moments.add(targets_[static_cast<std::size_t>(row)]);
  target_mean_ = moments.mean;
  target_deviation_ = moments.deviation();
  const auto scale = target_deviation_ > 0 ? 1 / target_deviation_ : 0;
  for (auto& target : targets_)
    target = static_cast<float>((target - target_mean_) * scale);
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

} // namespace troupe
