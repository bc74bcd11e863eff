// What a trainer tells people and their log.
#include "actors/loop/trainer_state.hpp"
#include "base/text/duration.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace troupe {

/// Sooner where the deadline of a gate passes before.
void TrainerState::check_deadlines_later() {
  constexpr double least = 1e-3; // seconds
  looking_ = true;
  auto seconds = check_deadlines_seconds;
  if (awaited_.gate && is_looked_after(*awaited_.gate))
    seconds = std::clamp(awaited_.since + awaited_.gate->deadline - now(), least, seconds);
  self_->delayed_send(self_, timespan_of(seconds), CheckDeadlines{});
}

void TrainerState::check_deadlines() {
  looking_ = false;
  if (!run_.running())
    return;
  if (waits_for_loader_ && !said_of_loader_ && now() - step_began_ >= 2) {
    said_of_loader_ = true;
    say(Level::info, "worker " + std::to_string(options_.worker)
                       + " has waited 2 s for its loader to prepare batch "
                       + std::to_string(run_.cursor + 1));
  }
  if (awaited_.gate)
    look_at_gate();
  if (run_.running() && !looking_)
    check_deadlines_later();
}

void TrainerState::look_at_gate() {
  const auto waited = now() - awaited_.since;
  if (is_looked_after(*awaited_.gate) && waited >= awaited_.gate->deadline) {
    unanswered(awaited_.ticket, caf::make_error(caf::sec::request_timeout));
    return;
  }
  if (!awaited_.said && waited >= 2) {
    awaited_.said = true;
    say(Level::info, "worker " + std::to_string(options_.worker) + " has waited 2 s for extension '"
                       + awaited_.gate->name + "' at " + to_string(run_.step)
                       + (std::isinf(awaited_.gate->deadline)
                            ? "; it has no deadline"
                            : "; its deadline is " + shortest(awaited_.gate->deadline) + " s"));
  }
}

void TrainerState::warn_of_lost_conditions() {
  for (const auto& subscription : subscriptions_.all())
    for (const auto& sentence : lost_conditions(subscription->asked_for, run_.position))
      say(Level::warning, "extension '" + subscription->name + "': " + sentence);
}

Subscribed TrainerState::subscribed(const Subscription& added) {
  Subscribed answer{added.id, {}};
  if (run_.running() && run_.position.batches > 0)
    answer.lost = lost_conditions(added.asked_for, run_.position);
  for (const auto& sentence : answer.lost)
    say(Level::warning, "extension '" + added.name + "': " + sentence);
  return answer;
}

void TrainerState::write(const Records& records) {
  if (logger_ && !records.empty())
    self_->send(logger_, Write{{options_.worker, run_.position.batches},
                               run_.position.epochs,
                               run_.position.seconds,
                               records,
                               ""});
}

void TrainerState::write_status() {
  if (!logger_)
    return;
  Records status{
    {"batches_done", Value{static_cast<std::int64_t>(run_.position.batches)}},
    {"epochs_done", Value{static_cast<std::int64_t>(run_.position.epochs)}},
    {"examples_done", Value{static_cast<std::int64_t>(run_.position.examples)}},
    {"batches_per_epoch", Value{static_cast<std::int64_t>(learner_->order().batches_per_epoch())}},
    {"training_started", Value{run_.started}},
    {"received_first_batch", Value{run_.position.batches > 0}},
    {"epoch_started", Value{run_.epoch_started}},
    {"training_finished", Value{run_.step == LoopPhase::ended}},
  };
  if (run_.epoch_ends.count() == run_.position.epochs)
    status[epoch_ends_status] = Value{run_.epoch_ends.text()};
  if (run_.step == LoopPhase::before_training) {
    status["epoch_interrupt_received"] = Value{false};
    status["batch_interrupt_received"] = Value{false};
  }
  if (run_.over()) {
    status["outcome"] = Value{to_string(run_.outcome())};
    status["reason"] = Value{run_.reason()};
  }
  self_->send(logger_, WriteStatus{options_.worker, std::move(status)});
}

void TrainerState::say(Level level, const std::string& text) {
  if (logger_)
    self_->send(logger_, Say{level, text});
}

} // namespace troupe
