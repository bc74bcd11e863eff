#include "model/data/table/csv_sentinel.hpp"

#include <cmath>
#include <map>

namespace troupe {

namespace {

/// 9, 99, 999 ... and -9, -99, -999 ...
bool is_nines(double number) {
  const auto next = std::log10(std::abs(number) + 1);
  return number != 0 && next == std::round(next);
}

} // namespace

std::optional<Sentinel> sentinel_of(const CsvTable& table, Index column) {
  struct Cells {
    Index rows = 0;
    std::set<std::string> words;
  };
  std::map<double, Cells> counts;
  for (Index row = 0; row < table.rows(); ++row)
    if (const auto number = table.number(row, column); number && !table.is_missing(row, column)) {
      auto& [rows, words] = counts[*number];
      ++rows;
      if (is_nines(*number))
        words.emplace(table.cell(row, column));
    }
  if (counts.size() < 3) // two other numbers show how far they are from each other
    return {};
  const auto low = counts.begin(), high = std::prev(counts.end());
  const auto after_low = std::next(low), before_high = std::prev(high);
  const auto is_low = is_nines(low->first) && low->first < 0
                      && after_low->first - low->first > high->first - after_low->first;
  const auto is_high = is_nines(high->first) && high->second.rows > 1
                       && high->first - before_high->first > before_high->first - low->first;
  if (!is_low && !is_high)
    return {};
  const auto& [rows, words] = is_low ? low->second : high->second;
  return Sentinel{words, rows, is_low ? after_low->first : low->first,
                  is_low ? high->first : before_high->first};
}

} // namespace troupe
