#pragma once

#include "apps/grid/progress.hpp"
#include "apps/process/progress_line.hpp"

#include <chrono>
#include <set>
#include <string>
#include <utility>

namespace troupe {

/// Tells of the ends of a grid's runs on standard error, on one line that is written over on a
/// terminal. Ends are told by one thread; lines of their own may come from others.
class GridConsole {
public:
  GridConsole(const GridPlan& plan, bool quiet);

  GridResults& results() { return results_; }
  void tell(const TrialEnded& ended, const GridQueue& queue);
  /// What a former start has ended.
  void recall(const TrialEnded& ended);
  /// A line of its own.
  void say(const std::string& line) const;
  /// What was not told one by one.
  void sum_up() const;

private:
  void tell_failure(const TrialEnded& ended, const GridQueue& queue);
  void tell_lack_of_score(const TrialEnded& ended);

  const GridPlan& plan_;
  bool quiet_;
  ProgressLine line_;
  GridResults results_;
  std::set<std::pair<std::string, bool>> told_; ///< reasons, and whether it was the last attempt
  std::size_t told_again_ = 0;
  bool looked_for_score_ = false; ///< in the log of a run without one
  std::chrono::steady_clock::time_point shown_ = std::chrono::steady_clock::now();
};

} // namespace troupe
