// The lines of several logs in the order of their times.
#pragma once

#include <algorithm>
#include <ostream>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace troupe {

/// Keeps the lines of rows until it is known that no earlier row may still come.
class RowMerger {
public:
  /// @param log its place among the logs, which sorts rows of the same time
  void add(std::string time, std::size_t log, std::string lines) {
    rows_.push_back({std::move(time), log, std::move(lines)});
  }

  /// Prints the rows before that time, all if it is "", and forgets them.
  void print(const std::string& before, std::ostream& to) {
    const auto left = std::stable_partition(rows_.begin(), rows_.end(), [&](const Row& row) {
      return before.empty() || row.time < before;
    });
    std::stable_sort(rows_.begin(), left, [](const Row& a, const Row& b) {
      return std::tie(a.time, a.log) < std::tie(b.time, b.log);
    });
    std::for_each(rows_.begin(), left, [&](const Row& row) { to << row.lines; });
    rows_.erase(rows_.begin(), left);
  }

private:
  struct Row {
    std::string time;
    std::size_t log;
    std::string lines;
  };
  std::vector<Row> rows_; ///< in the order of their arrival
};

} // namespace troupe
