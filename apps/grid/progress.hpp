// What a person reads of a grid: a line while it runs, a table at its end.
#pragma once

#include "apps/grid/plan.hpp"
#include "messages/grid/grid_queue.hpp"

#include <map>
#include <set>
#include <string>

namespace troupe {

/// The last end of each run, and the best score so far.
class GridResults {
public:
  explicit GridResults(Choose choose) : choose_(choose) {}

  void add(const TrialEnded& ended);
  const std::map<RunNumber, TrialEnded>& last() const { return last_; }
  /// The end with the best score, which may not be its run's last: halving goes on with it. Of run
  /// 0 where no run has one.
  const TrialEnded& best() const { return best_; }

private:
  Choose choose_;
  std::map<RunNumber, TrialEnded> last_;
  TrialEnded best_;
};

/// "7/18 runs done, 1 failed, 2 under way; best validation_loss 0.2142 (trial-0003-rep-1)"
std::string progress_line(const GridPlan& plan, const GridQueue& queue, const GridResults& results);

/// "run 5 (trial-0002-rep-1) failed, attempt 1: ..., it is tried again"; "" for a good end.
std::string failure_line(const GridPlan& plan, const GridQueue& queue, const TrialEnded& ended);

/// "warning: run 1 (trial-0001-rep-1) has recorded no 'validation_los', by which the grid compares
/// its runs; did you mean 'validation_loss'?"; "" where it is among the names that were recorded.
std::string missing_score_line(const GridPlan& plan, RunNumber run,
                               const std::set<std::string>& recorded);
/// The same from the run's log; "" where it has none, which is told by who needs it.
std::string missing_score_line(const GridPlan& plan, RunNumber run);

/// A line per trial, the best first, with the mean of its runs' scores and their deviation (over n
/// - 1). @param most trials that are shown
std::string summary_table(const GridPlan& plan, const GridResults& results, std::size_t most = 40);

/// What runs that earlier starts have given up failed of, at most so many reasons, and how they are
/// tried again; "" where there are none.
std::string given_up_lines(const GridPlan& plan, const GridQueue& queue, const GridResults& results,
                           std::size_t most = 3);

} // namespace troupe
