// The output of a grid: a line while it runs, a table at its end.
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
  /// The end with the best score, which may not be the last end of its run: halving may continue
  /// it. Run 0 if no run has a score.
  const TrialEnded& best() const { return best_; }

private:
  Choose choose_;
  std::map<RunNumber, TrialEnded> last_;
  TrialEnded best_;
};

/// "7/18 runs done, 1 failed, 2 running; best validation_loss 0.2142 (trial-0003-rep-1)"
std::string progress_line(const GridPlan& plan, const GridQueue& queue, const GridResults& results);

/// "run 5 (trial-0002-rep-1) failed, attempt 1: ...; it is retried"; "" for a good end.
std::string failure_line(const GridPlan& plan, const GridQueue& queue, const TrialEnded& ended);

/// "warning: run 1 (trial-0001-rep-1) has recorded no 'validation_los', by which the grid compares
/// its runs; did you mean 'validation_loss'?"; "" if the name was recorded.
std::string missing_score_line(const GridPlan& plan, RunNumber run,
                               const std::set<std::string>& recorded);
/// The same from the run's log; "" without a log, which its readers report.
std::string missing_score_line(const GridPlan& plan, RunNumber run);

/// A line per trial, the best first, with the mean and deviation (over n - 1) of its runs' scores.
/// @param most largest number of trials to show
std::string summary_table(const GridPlan& plan, const GridResults& results, std::size_t most = 40);

/// The reasons of runs that earlier starts have given up, at most `most`, and how to retry them; ""
/// if there are none.
std::string given_up_lines(const GridPlan& plan, const GridQueue& queue, const GridResults& results,
                           std::size_t most = 3);

} // namespace troupe
