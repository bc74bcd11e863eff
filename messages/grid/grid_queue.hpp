// What a grid does next.
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
  std::uint32_t retries = 1;    ///< of a run that fails
  bool stop_on_failure = false; ///< a run that has used up its attempts ends the grid
  std::uint32_t rungs = 1;      ///< of successive halving; 1: every run is trained to its end
  std::uint32_t factor = 3;     ///< of successive halving
  Choose choose = Choose::min;  ///< which score is better
};

/// Decides which run starts when there is room for one: what was begun and not ended first, then
/// retries, promotions, and new runs in their order. An queue that hears again what a former one
/// heard goes on where that one was.
class GridQueue {
public:
  explicit GridQueue(const GridQueueOptions& options);

  /// Something that ended in an earlier start of the grid.
  void recall(const TrialEnded& ended);
  /// Runs that have been given up get one attempt more.
  void try_failed_again();

  /// @returns what to start now, which is then under way; nothing where there is nothing now.
  std::optional<RunTrial> next();
  /// Something that is under way has ended.
  void ended(const TrialEnded& ended);
  /// Nothing more is started.
  void stop() { stopped_ = true; }

  std::uint64_t in_flight() const { return in_flight_; }
  /// Nothing is under way and nothing will be.
  bool over() const { return in_flight_ == 0 && (stopped_ || !has_more_ || all_ended()); }
  RunNumber runs() const { return options_.runs; }
  /// Runs that are through; with successive halving, those that are promoted come back from there.
  std::uint64_t done() const { return done_; }
  std::uint64_t failed() const { return failed_; } ///< runs that have used up their attempts
  /// Runs that a next start goes on with. @pre over
  std::uint64_t left() const { return options_.runs - done_ - failed_; }
  /// Whether `ended` was the end of a run's attempts.
  bool gives_up_after(const TrialEnded& ended) const;

private:
  enum class State : std::uint8_t { waiting, begun, done, failed };

  void take(const TrialEnded& ended);
  /// Known before anybody asks for more. With successive halving a promotion may be left.
  bool all_ended() const { return options_.rungs == 1 && done_ + failed_ == options_.runs; }
  void enter(RunNumber run, State state);

  GridQueueOptions options_;
  AshaScheduler asha_;
  std::vector<State> states_; ///< by run - 1
  std::deque<RunTrial> again_;
  std::map<RunNumber, RunTrial> given_up_; ///< the last attempts of those that have failed
  RunNumber next_new_ = 1;
  std::uint64_t in_flight_ = 0, done_ = 0, failed_ = 0;
  bool stopped_ = false, has_more_ = true;
};

} // namespace troupe
