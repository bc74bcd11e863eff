#include "model/data/table/csv_sentinel.hpp"

#include <cmath>
#include <limits>
#include <utility>

namespace troupe {

namespace {

/// 9, 99, 999 ... and -9, -99, -999 ...
bool is_nines(double number) {
  const auto next = std::log10(std::abs(number) + 1);
  return number != 0 && next == std::round(next);
}

} // namespace

std::optional<Sentinel> sentinel_of(const CsvTable& table, Index column) {
  // The two smallest and the two largest different numbers, and how often the largest occurs.
  constexpr auto infinity = std::numeric_limits<double>::infinity();
  double low = infinity, after_low = infinity, before_high = -infinity, high = -infinity;
  Index highest = 0;
  auto cells = table.cells(column);
  for (Index row = 0; row < table.rows(); ++row) {
    const auto number = cells.known_number(row);
    if (std::isnan(number) || (number > after_low && number < before_high))
      continue;
    if (number < low)
      after_low = std::exchange(low, number);
    else if (number > low && number < after_low)
      after_low = number;
    if (number > high) {
      before_high = std::exchange(high, number);
      highest = 0;
    } else if (number < high && number > before_high) {
      before_high = number;
    }
    highest += number == high ? 1 : 0;
  }
  if (!(after_low < high)) // two other numbers show how far they are from each other
    return {};
  const auto is_low = is_nines(low) && low < 0 && after_low - low > high - after_low;
  const auto is_high = is_nines(high) && highest > 1 && high - before_high > before_high - low;
  if (!is_low && !is_high)
    return {};
  Sentinel sentinel;
  sentinel.smallest = is_low ? after_low : low;
  sentinel.largest = is_low ? high : before_high;
  sentinel.number = is_low ? low : high;
  for (Index row = 0; row < table.rows(); ++row)
    sentinel.rows += cells.known_number(row) == sentinel.number ? 1 : 0;
  return sentinel;
}

std::set<std::string> texts_of(const CsvTable& table, Index column, double number) {
  std::set<std::string> texts;
  auto cells = table.cells(column);
  for (Index row = 0; row < table.rows(); ++row)
    if (cells.known_number(row) == number)
      texts.emplace(table.cell(row, column));
  return texts;
}

} // namespace troupe
