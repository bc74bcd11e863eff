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

FieldSpec label_field(std::size_t classes) {
  return {"label", ElementType::class_index, {any_size}, static_cast<Index>(classes)};
}

FieldSpec number_field() { return {"target", ElementType::float32, {any_size, 1}, 0}; }

std::string known_classes(const std::vector<std::string>& classes) {
  constexpr std::size_t most = 20;
  std::string text;
  for (std::size_t i = 0; i < std::min(classes.size(), most); ++i)
    text += (i == 0 ? "" : ", ") + classes[i];
  return text + (classes.size() > most ? ", ..." : "");
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
    target.field = number_field();
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
  target.field = label_field(target.levels.size());
  return target;
}

CsvTarget read_target(const CsvTable& table, Index label, std::span<const Index> rows,
                      const TargetFit& fit) {
  CsvTarget target;
  target.levels = fit.classes;
  target.field = fit.classes.empty() ? number_field() : label_field(fit.classes.size());
  const auto numeric = std::all_of(fit.classes.begin(), fit.classes.end(),
                                   [](const auto& name) { return parse_number(name).has_value(); });
  std::map<std::string, std::int32_t, std::less<>> numbers; // of classes
  for (const auto& name : fit.classes)
    numbers.emplace(name, static_cast<std::int32_t>(numbers.size()));
  for (auto row : rows) {
    const auto cell = table.cell(row, label);
    const auto number = parse_number(cell);
    if (fit.classes.empty() && number) {
      target.values.push_back(static_cast<float>(*number));
      continue;
    }
    const auto known = numbers.find(numeric && number ? plain(*number) : std::string(cell));
    if (known == numbers.end())
      throw DataError(table.place(row, label) + ": found \"" + std::string(cell) + "\", expected "
                      + (fit.classes.empty()
                           ? "a number, as the model was trained on"
                           : "a class that the model was trained on: " + known_classes(fit.classes))
                      + "; correct the cell, or train a new model on this file");
    target.classes.push_back(known->second);
  }
  return target;
}

} // namespace troupe
