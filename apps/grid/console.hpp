#pragma once

#include "apps/grid/progress.hpp"
#include "apps/process/progress_line.hpp"

#include <chrono>
#include <set>
#include <string>
#include <utility>

namespace troupe {

/// Reports the progress of a grid on standard error, on a terminal in one line that is redrawn. One
/// thread reports ends of runs; other threads may print lines.
class GridConsole {
public:
  GridConsole(const GridPlan& plan, bool quiet);

  GridResults& results() { return results_; }
  void report(const TrialEnded& ended, const GridQueue& queue);
  /// Adds a run that an earlier start has ended.
  void recall(const TrialEnded& ended);
  /// Prints a separate line.
  void say(const std::string& line) const;
  /// Prints the number of failures that were not printed one by one.
  void print_summary() const;

private:
  void report_failure(const TrialEnded& ended, const GridQueue& queue);
  void report_missing_score(const TrialEnded& ended);

  const GridPlan& plan_;
  bool quiet_;
  ProgressLine line_;
  GridResults results_;
  std::set<std::pair<std::string, bool>>
    reported_; ///< reported reasons, and whether it was the last attempt
  std::size_t repeated_ = 0;
  bool score_checked_ = false; ///< a run without a score was checked for the reason
  std::chrono::steady_clock::time_point shown_ = std::chrono::steady_clock::now();
};

} // namespace troupe
