#include "messages/grid/grid_queue.hpp"

#include <limits>
#include <utility>

namespace troupe {

GridQueue::GridQueue(const GridQueueOptions& options)
  : options_(options),
    asha_(options.rungs, options.factor, options.choose),
    states_(options.runs, State::waiting) {}

bool GridQueue::is_last_attempt(const TrialEnded& ended) const {
  return ended.outcome == TrialOutcome::refused
         || (ended.outcome == TrialOutcome::failed && ended.attempt > options_.retries);
}

void GridQueue::enter(RunNumber run, State state) {
  auto& now = states_[run - 1];
  done_ += (state == State::done ? 1 : 0) - (now == State::done ? 1 : 0);
  failed_ += (state == State::failed ? 1 : 0) - (now == State::failed ? 1 : 0);
  now = state;
}

void GridQueue::recall(const TrialEnded& ended) {
  if (ended.run == 0 || ended.run > options_.runs || ended.rung >= options_.rungs)
    return; // from a larger grid: its settings have changed since
  std::erase_if(again_, [&](const RunTrial& trial) { return trial.run == ended.run; });
  if (ended.rung > 0)
    asha_.recall_promotion(ended.run, ended.rung);
  take(ended);
  stopped_ = false;
}

void GridQueue::try_failed_again() {
  for (const auto& [run, last] : std::exchange(given_up_, {})) {
    asha_.forget(run, last.rung);
    enter(run, State::begun);
    again_.push_back({run, last.attempt + 1, last.rung});
  }
}

void GridQueue::ended(const TrialEnded& ended) {
  --in_flight_;
  take(ended);
}

void GridQueue::take(const TrialEnded& ended) {
  if (const auto earlier = given_up_.find(ended.run); earlier != given_up_.end()) {
    asha_.forget(ended.run, earlier->second.rung); // an earlier start has tried it again
    given_up_.erase(earlier);
  }
  if (ended.outcome == TrialOutcome::done) {
    enter(ended.run, State::done);
    asha_.ended(ended.run, ended.rung, ended.score);
  } else if (is_last_attempt(ended)) {
    enter(ended.run, State::failed);
    given_up_[ended.run] = {ended.run, ended.attempt, ended.rung};
    asha_.ended(ended.run, ended.rung, std::numeric_limits<double>::quiet_NaN());
    stopped_ = stopped_ || options_.stop_on_failure;
  } else {
    enter(ended.run, State::begun);
    const auto attempt = ended.attempt + (ended.outcome == TrialOutcome::failed ? 1 : 0);
    again_.push_back({ended.run, attempt, ended.rung});
  }
}

std::optional<RunTrial> GridQueue::next() {
  if (stopped_)
    return {};
  std::optional<RunTrial> chosen;
  if (!again_.empty()) {
    chosen = again_.front();
    again_.pop_front();
  }
  while (!chosen) { // a failed run has nothing to resume from
    const auto promotion = asha_.promote();
    if (!promotion)
      break;
    if (states_[promotion->trial - 1] != State::failed)
      chosen = RunTrial{promotion->trial, 1, promotion->rung};
  }
  while (!chosen && next_new_ <= options_.runs) {
    if (states_[next_new_ - 1] == State::waiting)
      chosen = RunTrial{next_new_, 1, 0};
    ++next_new_;
  }
  has_more_ = chosen.has_value();
  if (chosen) {
    enter(chosen->run, State::begun);
    ++in_flight_;
  }
  return chosen;
}

} // namespace troupe
