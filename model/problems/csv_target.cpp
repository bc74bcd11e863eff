#include "troupe/model/problems/csv_target.hpp"

#include "troupe/model/problems/data_error.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <map>
#include <stdexcept>

namespace troupe {

namespace {

constexpr std::size_t most_whole_levels = 20; // more whole numbers than that are counts, not names

std::string plain(double number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.9g", number);
  return text.data();
}

} // namespace

CsvTarget read_target(const CsvTable& table, Index label, std::span<const Index> rows,
                      const std::string& task) {
  if (task != "auto" && task != "classification" && task != "regression")
    throw std::invalid_argument("csv: task is \"" + task
                                + "\"; write auto, classification or regression");
  bool whole = true;
  std::size_t words = 0;
  Index word = 0; // the first row with one
  std::map<double, Index> numbers;
  for (auto row : rows) {
    if (const auto number = parse_number(table.cell(row, label))) {
      numbers[*number] = 0;
      whole = whole && *number == std::floor(*number);
    } else if (words++ == 0) {
      word = row;
    }
  }
  const auto numeric = words == 0;
  // One slip of the pen must not turn a regression into a classification.
  if (!numeric && (task == "regression" || (task == "auto" && 2 * words < rows.size())))
    throw DataError(table.place(word, label) + ": found \"" + std::string(table.cell(word, label))
                    + "\", expected a number to regress on, as "
                    + std::to_string(rows.size() - words)
                    + " rows have; correct the cell, or choose another label or task: "
                      "classification");
  CsvTarget target;
  if (task == "regression"
      || (task == "auto" && numeric && !(whole && numbers.size() <= most_whole_levels))) {
    for (auto row : rows)
      target.values.push_back(static_cast<float>(*parse_number(table.cell(row, label))));
    target.field = {"target", ElementType::float32, {any_size, 1}, 0};
    return target;
  }
  if (numeric) { // 1 and 1.0 are the same class
    for (auto& [number, index] : numbers) {
      index = static_cast<Index>(target.levels.size());
      target.levels.push_back(plain(number));
    }
    for (auto row : rows)
      target.classes.push_back(
        static_cast<std::int32_t>(numbers.at(*parse_number(table.cell(row, label)))));
  } else {
    std::map<std::string_view, std::int32_t> levels;
    for (auto row : rows)
      levels[table.cell(row, label)] = 0;
    for (auto& [level, index] : levels) {
      index = static_cast<std::int32_t>(target.levels.size());
      target.levels.emplace_back(level);
    }
    for (auto row : rows)
      target.classes.push_back(levels.at(table.cell(row, label)));
  }
  target.field = {"label", ElementType::class_index, {any_size}, Index(target.levels.size())};
  return target;
}

} // namespace troupe
