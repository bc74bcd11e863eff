#include "model/data/table/csv_target.hpp"

#include "base/failure.hpp"
#include "model/data/table/csv_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <stdexcept>

namespace troupe {

namespace {

constexpr std::size_t most_whole_levels = 20; // with more, integers are counts, not names

/// A class as people write it: without exponent, and with as many digits as it takes to read the
/// same number.
std::string plain(double number) {
  std::array<char, 512> text{};
  const auto end
    = std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed).ptr;
  return {text.data(), end};
}

/// The classes of the fit. If all are numbers, 1 and 1.0 are the same class.
class KnownClasses {
public:
  explicit KnownClasses(const TargetFit& fit) {
    for (const auto& name : fit.classes)
      add(name, static_cast<std::int32_t>(by_name_.size()));
    for (const auto& name : fit.untrained)
      add(name, masked_class);
    numeric_ = by_number_.size() == by_name_.size();
  }

  bool are_numbers() const { return numeric_; }

  std::optional<std::int32_t> find(std::string_view cell, std::optional<double> number) const {
    return numeric_ && number ? found(by_number_, *number) : found(by_name_, cell);
  }

private:
  void add(const std::string& name, std::int32_t index) {
    by_name_.emplace(name, index);
    if (const auto number = parse_number(name))
      by_number_.emplace(*number, index);
  }

  template <class Map, class Key>
  static std::optional<std::int32_t> found(const Map& map, const Key& key) {
    const auto place = map.find(key);
    return place == map.end() ? std::nullopt : std::optional{place->second};
  }

  std::map<std::string, std::int32_t, std::less<>> by_name_;
  std::map<double, std::int32_t> by_number_;
  bool numeric_ = false;
};

std::string known_classes(const std::vector<std::string>& classes) {
  constexpr std::size_t most = 20;
  std::string text;
  for (std::size_t i = 0; i < std::min(classes.size(), most); ++i)
    text += (i == 0 ? "" : ", ") + escaped_text(classes[i]);
  return text + (classes.size() > most ? ", ..." : "");
}

} // namespace

CsvTarget read_target(CsvTable& table, Index label, const TableRows& rows,
                      const std::string& task) {
  if (task != "auto" && task != "classification" && task != "regression")
    throw std::invalid_argument("csv: task is \"" + task
                                + "\"; write auto, classification or regression");
  bool whole = true;
  Index words = 0;
  Index word = 0;                  // the first row with one
  std::map<double, Index> numbers; // all of them only if they can be classes
  auto cells = table.cells(label);
  for (Index i = 0; i < rows.size(); ++i) {
    if (const auto number = cells.number(rows[i])) {
      whole = whole && *number == std::floor(*number);
      if (task == "classification" || (whole && numbers.size() <= most_whole_levels))
        numbers[*number] = 0;
    } else if (words++ == 0) {
      word = rows[i];
    }
  }
  const auto numeric = words == 0;
  if (numeric && task != "classification")
    table.check_style(label);
  const auto plain_numbers = numeric && table.style(label).plain;
  // A single typing error must not turn a regression into a classification.
  if (!numeric && (task == "regression" || (task == "auto" && 2 * words < rows.size())))
    throw DataError(table.place(word, label) + ": found " + shown_cell(table.cell(word, label))
                    + ", expected a number to regress on, as " + std::to_string(rows.size() - words)
                    + " rows have; correct the cell, or choose another problem.label, or set "
                      "problem.task=classification");
  CsvTarget target;
  if (task == "regression"
      || (task == "auto" && numeric && !(whole && numbers.size() <= most_whole_levels))) {
    target.style = table.style(label);
    return target;
  }
  if (plain_numbers) { // 1 and 1.0 are the same class
    for (auto& [number, index] : numbers) {
      index = static_cast<Index>(target.levels.size());
      target.levels.push_back(plain(number));
    }
    for (Index i = 0; i < rows.size(); ++i)
      target.classes.push_back(static_cast<std::int32_t>(numbers.at(*cells.number(rows[i]))));
  } else {
    table.read_words({label});
    cells = table.cells(label);
    const auto& texts = table.words(label);
    std::map<std::string_view, std::int32_t> levels;
    for (Index i = 0; i < rows.size(); ++i)
      levels[texts[cells.word(rows[i])]] = 0;
    for (auto& [level, index] : levels) {
      index = static_cast<std::int32_t>(target.levels.size());
      target.levels.emplace_back(level);
    }
    for (Index i = 0; i < rows.size(); ++i)
      target.classes.push_back(levels.at(texts[cells.word(rows[i])]));
  }
  return target;
}

void keep_trained_classes(CsvTarget& target, std::span<const Index> training) {
  std::vector<std::int32_t> places(target.levels.size(), masked_class);
  if (!target.classes.empty())
    for (const auto row : training)
      places[static_cast<std::size_t>(target.classes[static_cast<std::size_t>(row)])] = 0;
  std::vector<std::string> trained;
  for (std::size_t i = 0; i < places.size(); ++i)
    if (places[i] == masked_class) {
      target.untrained.push_back(std::move(target.levels[i]));
    } else {
      places[i] = static_cast<std::int32_t>(trained.size());
      trained.push_back(std::move(target.levels[i]));
    }
  target.levels = std::move(trained);
  for (auto& label : target.classes)
    label = places[static_cast<std::size_t>(label)];
}

CsvTarget read_target(CsvTable& table, Index label, const TableRows& rows, const TargetFit& fit) {
  CsvTarget target;
  target.levels = fit.classes;
  const KnownClasses classes(fit);
  if (!fit.classes.empty() && !classes.are_numbers())
    table.read_words({label});
  auto cells = table.cells(label);
  for (Index i = 0; i < rows.size(); ++i) {
    const auto row = rows[i];
    const auto number = cells.number(row);
    if (fit.classes.empty() && number)
      continue;
    const auto word = cells.word(row);
    const auto known = classes.find(
      word == CellRun::no_word ? std::string_view() : table.words(label)[word], number);
    if (!known)
      throw DataError(table.place(row, label) + ": found " + shown_cell(table.cell(row, label))
                      + ", expected "
                      + (fit.classes.empty()
                           ? "a number, as the model was trained on"
                           : "a class that the model was trained on: " + known_classes(fit.classes))
                      + "; correct the cell, or train a new model on this file");
    target.classes.push_back(*known);
  }
  return target;
}

} // namespace troupe
