// What a grid starts next.
#pragma once

#include "messages/grid/asha.hpp"
#include "messages/grid/grid.hpp"

#include <deque>
#include <map>
#include <optional>
#include <vector>

namespace troupe {

struct GridQueueOptions {
  RunNumber runs = 0;
  std::uint32_t retries = 1;    ///< for each run that fails
  bool stop_on_failure = false; ///< a run that has used up its attempts ends the grid
  std::uint32_t rungs = 1;      ///< of successive halving; 1: every run is trained to its end
  std::uint32_t factor = 3;     ///< of successive halving
  Choose choose = Choose::min;  ///< which score is better
};

/// Decides which run starts next: interrupted ones first, then retries, promotions, and new runs in
/// their order. A queue that receives the results of an earlier one continues where that one
/// stopped.
class GridQueue {
public:
  explicit GridQueue(const GridQueueOptions& options);

  /// A trial that ended in an earlier start of the grid.
  void recall(const TrialEnded& ended);
  /// Runs that were given up get one more attempt.
  void try_failed_again();

  /// @returns what to start now, which then counts as running; nothing if there is nothing now.
  std::optional<RunTrial> next();
  /// A running trial has ended.
  void ended(const TrialEnded& ended);
  /// Nothing more is started.
  void stop() { stopped_ = true; }

  std::uint64_t in_flight() const { return in_flight_; }
  /// Nothing is running and nothing will be started.
  bool over() const { return in_flight_ == 0 && (stopped_ || !has_more_ || all_ended()); }
  RunNumber runs() const { return options_.runs; }
  /// Completed runs; with successive halving, promoted ones are taken from there again.
  std::uint64_t done() const { return done_; }
  std::uint64_t failed() const { return failed_; } ///< runs that have used up their attempts
  /// Runs that the next start resumes. @pre over
  std::uint64_t left() const { return options_.runs - done_ - failed_; }
  /// Whether `ended` was the last attempt of a run.
  bool is_last_attempt(const TrialEnded& ended) const;

private:
  enum class State : std::uint8_t { waiting, begun, done, failed };

  void take(const TrialEnded& ended);
  /// Known before a runner asks for more. With successive halving a promotion may remain.
  bool all_ended() const { return options_.rungs == 1 && done_ + failed_ == options_.runs; }
  void enter(RunNumber run, State state);

  GridQueueOptions options_;
  AshaScheduler asha_;
  std::vector<State> states_; ///< by run - 1
  std::deque<RunTrial> again_;
  std::map<RunNumber, RunTrial> given_up_; ///< the last attempts of failed runs
  RunNumber next_new_ = 1;
  std::uint64_t in_flight_ = 0, done_ = 0, failed_ = 0;
  bool stopped_ = false, has_more_ = true;
};

} // namespace troupe
