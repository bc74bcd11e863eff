#include "troupe/model/problems/csv_features.hpp"

#include "troupe/model/problems/data_error.hpp"

#include <algorithm>
#include <cmath>

namespace troupe {

namespace {

constexpr std::size_t most_levels = 1000; // more are names or numbers, not levels

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

FeatureEncoder::FeatureEncoder(const CsvTable& table, std::span<const Index> columns,
                               const std::vector<Index>& categorical,
                               std::span<const Index> training, bool standardize)
  : table_(table) {
  for (auto index : columns) {
    Column column{.index = index, .first = width()};
    column.numeric = holds_numbers(index, training,
                                   std::find(categorical.begin(), categorical.end(), index)
                                     != categorical.end());
    if (column.numeric)
      learn_numbers(column, training, standardize);
    else
      learn_levels(column, training);
    columns_.push_back(std::move(column));
  }
}

bool FeatureEncoder::holds_numbers(Index column, std::span<const Index> training,
                                   bool categorical) const {
  std::size_t numbers = 0, words = 0;
  Index word = 0; // the first row with one
  for (auto row : training) {
    const auto cell = table_.cell(row, column);
    if (is_missing(cell))
      continue;
    if (parse_number(cell))
      ++numbers;
    else if (words++ == 0)
      word = row;
  }
  if (numbers + words == 0)
    throw DataError(table_.place(training[0], column)
                    + ": found no value in this nor any other training row; ignore the column");
  if (numbers > words && words > 0 && !categorical)
    throw DataError(table_.place(word, column) + ": found \""
                    + std::string(table_.cell(word, column))
                    + "\", expected a number that fits float32, as " + std::to_string(numbers)
                    + " training rows have; correct the cell, or list the column as categorical or "
                      "ignored");
  return words == 0 && !categorical;
}

void FeatureEncoder::learn_numbers(Column& column, std::span<const Index> training,
                                   bool standardize) {
  Moments moments;
  for (auto row : training)
    if (const auto number = parse_number(table_.cell(row, column.index)))
      moments.add(*number);
  column.missing = moments.mean;
  if (standardize) {
    const auto deviation = moments.deviation();
    column.mean = moments.mean;
    column.scale = deviation > 0 ? 1 / deviation : 0;
  }
  names_.push_back(table_.name(column.index));
}

void FeatureEncoder::learn_levels(Column& column, std::span<const Index> training) {
  for (auto row : training) {
    const auto cell = table_.cell(row, column.index);
    column.levels.emplace(is_missing(cell) ? std::string_view() : cell, 0);
    if (column.levels.size() > most_levels)
      throw DataError(table_.place(row, column.index) + ": found level "
                      + std::to_string(most_levels + 1) + " of the column, \"" + std::string(cell)
                      + "\", expected numbers or at most " + std::to_string(most_levels)
                      + " levels; ignore the column, or correct the cells that are no numbers");
  }
  Index next = 0;
  for (auto& [level, number] : column.levels) { // sorted, so that the order of rows does not matter
    number = next++;
    names_.push_back(table_.name(column.index) + " = " + level);
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
