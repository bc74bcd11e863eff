#include "troupe/model/problems/csv_features.hpp"

#include "troupe/model/problems/data_error.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace troupe {

namespace {

constexpr std::size_t most_levels = 1000; // more are names or numbers, not levels

bool holds_numbers(const CsvTable& table, Index column, std::span<const Index> training,
                   bool categorical) {
  std::size_t numbers = 0, words = 0;
  Index word = 0; // the first row with one
  for (auto row : training) {
    const auto cell = table.cell(row, column);
    if (is_missing(cell))
      continue;
    if (parse_number(cell))
      ++numbers;
    else if (words++ == 0)
      word = row;
  }
  if (numbers + words == 0)
    throw DataError(table.place(training[0], column)
                    + ": found no value in this nor any other training row; ignore the column");
  if (numbers > words && words > 0 && !categorical)
    throw DataError(table.place(word, column) + ": found \"" + std::string(table.cell(word, column))
                    + "\", expected a number that fits float32, as " + std::to_string(numbers)
                    + " training rows have; correct the cell, or list the column as categorical or "
                      "ignored"
                    + comma_hint(table.cell(word, column)));
  return words == 0 && !categorical;
}

void fit_numbers(ColumnFit& fit, const CsvTable& table, Index column,
                 std::span<const Index> training) {
  Moments moments;
  for (auto row : training)
    if (const auto number = parse_number(table.cell(row, column)))
      moments.add(*number);
  fit.mean = moments.mean;
  fit.deviation = moments.deviation();
}

void fit_levels(ColumnFit& fit, const CsvTable& table, Index column,
                std::span<const Index> training) {
  std::set<std::string, std::less<>> levels; // sorted, so that the order of rows does not matter
  for (auto row : training) {
    const auto cell = table.cell(row, column);
    levels.emplace(is_missing(cell) ? std::string_view() : cell);
    if (levels.size() > most_levels)
      throw DataError(table.place(row, column) + ": found level " + std::to_string(most_levels + 1)
                      + " of the column, \"" + std::string(cell)
                      + "\", expected numbers or at most " + std::to_string(most_levels)
                      + " levels; ignore the column, or correct the cells that are no numbers"
                      + comma_hint(cell));
  }
  fit.levels.assign(levels.begin(), levels.end());
}

} // namespace

void Moments::add(double x) {
  ++count;
  const auto before = x - mean;
  mean += before / static_cast<double>(count);
  squares += before * (x - mean);
}

double Moments::deviation() const {
  const auto deviation = count > 0 ? std::sqrt(squares / static_cast<double>(count)) : 0;
  return deviation > 1e-12 * std::abs(mean) ? deviation : 0;
}

std::vector<ColumnFit> fit_columns(const CsvTable& table, std::span<const Index> columns,
                                   const std::vector<Index>& categorical,
                                   std::span<const Index> training, bool standardize) {
  std::vector<ColumnFit> fits;
  for (auto column : columns) {
    ColumnFit fit{.name = table.name(column)};
    fit.numeric = holds_numbers(table, column, training,
                                std::find(categorical.begin(), categorical.end(), column)
                                  != categorical.end());
    fit.standardized = fit.numeric && standardize;
    if (fit.numeric)
      fit_numbers(fit, table, column, training);
    else
      fit_levels(fit, table, column, training);
    fits.push_back(std::move(fit));
  }
  return fits;
}

FeatureEncoder::FeatureEncoder(const CsvTable& table, std::span<const Index> columns,
                               const std::vector<ColumnFit>& fits)
  : table_(table) {
  for (std::size_t i = 0; i < fits.size(); ++i) {
    const auto& fit = fits[i];
    Column column{.index = columns[i], .first = width_, .numeric = fit.numeric};
    column.missing = fit.mean;
    if (fit.standardized) {
      column.mean = fit.mean;
      column.scale = fit.deviation > 0 ? 1 / fit.deviation : 0;
    }
    for (const auto& level : fit.levels)
      column.levels.emplace(level, static_cast<Index>(column.levels.size()));
    width_ += fit.numeric ? 1 : static_cast<Index>(fit.levels.size());
    columns_.push_back(std::move(column));
  }
}

void FeatureEncoder::encode(Index row, float* out) const {
  std::fill_n(out, width(), 0.f);
  for (const auto& column : columns_) {
    const auto cell = table_.cell(row, column.index);
    if (!column.numeric) {
      const auto level = column.levels.find(is_missing(cell) ? std::string_view() : cell);
      if (level != column.levels.end())
        out[column.first + level->second] = 1;
      continue;
    }
    const auto number = parse_number(cell);
    if (!number && !is_missing(cell))
      throw DataError(table_.place(row, column.index) + ": found \"" + std::string(cell)
                      + "\", expected a number that fits float32, as all training rows have; "
                        "correct the cell, or list the column as categorical or ignored");
    out[column.first]
      = static_cast<float>(((number ? *number : column.missing) - column.mean) * column.scale);
  }
}

} // namespace troupe
