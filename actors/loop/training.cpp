#include "actors/loop/training.hpp"

#include "actors/loop/saved_learner.hpp"

#include <stdexcept>
#include <utility>
#include <vector>

namespace troupe {

namespace {

bool last_of_run(Callback callback) {
  return callback == Callback::after_training || callback == Callback::on_error
         || callback == Callback::on_interrupt;
}

} // namespace

ExpectedLength expected_length(const Training& training) {
  const auto& order = training.learner->order();
  const auto& options = training.options;
  return {order.batches_per_epoch(), static_cast<std::uint64_t>(order.examples_per_epoch()),
          options.epochs, options.batches, options.seconds};
}

namespace {

/// @returns whether one of them was dropped, because a step failed
bool count_known(Training& training) {
  auto failed = false;
  for (const auto& result : training.learner->late_results()) {
    training.run.count_late(result);
    failed = failed || result.state == StepState::dropped;
  }
  return failed;
}

} // namespace

void count_late_results(Training& training) {
  if (count_known(training))
    settle(training);
}

void settle(Training& training) {
  try {
    training.learner->settle();
  } catch (...) {
    count_known(training);
    throw;
  }
  count_known(training);
}

LoopEvent event_for(const Subscription& subscription, const Firing& firing,
                    const Training& training) {
  const auto& run = training.run;
  auto& learner = *training.learner;
  LoopEvent event;
  event.subscription = subscription.id;
  event.worker = training.options.worker;
  event.callback = *callback_of(run.step);
  event.position = run.position;
  event.epoch_batches = run.epoch_batches();
  event.times = firing.times;
  event.arguments = firing.arguments;
  event.started = run.started;
  event.done = last_of_run(event.callback);
  event.loss = run.loss;
  event.learning_rate = learner.optimizer().learning_rate();
  event.totals = run.totals;
  event.expected_length = expected_length(training);
  event.lost = subscription.window.lost_since_sent();
  if (event.done)
    event.reason = run.reason();
  if (subscription.shows == Shows::spans)
    event.spans = training.spans.last();
  if (subscription.shows >= Shows::parameters)
    event.parameters = {run.position.batches, learner.parameters()};
  if (subscription.shows == Shows::optimizer || subscription.shows == Shows::update) {
    for (const auto& slot : learner.slots())
      event.optimizer_slots.push_back({slot.name, slot.values});
    event.optimizer_steps = learner.optimizer_steps();
  }
  if (subscription.shows == Shows::step) {
    event.updated_from = training.updated_from;
    event.updated_to = training.updated_to;
  }
  if (subscription.shows >= Shows::gradients) // also for those that show more
    event.gradient = Block::copy_of(learner.gradient());
  return event;
}

void carry_out(GateAnswer& answer, Training& training) {
  auto& learner = *training.learner;
  auto& run = training.run;
  set_all(answer.settings, learner.optimizer());
  if (!answer.parameters.empty())
    learner.set_parameters(std::move(answer.parameters));
  if (!answer.gradient.empty() && run.step != LoopPhase::before_update)
    throw std::invalid_argument(
      "it gives a gradient, which is too late or too early; subscribe it to "
      "before_update");
  if (!answer.gradient.empty())
    learner.set_gradient(answer.gradient.view());
  if (!answer.optimizer_slots.empty()) {
    std::vector<OptimizerSlot> slots;
    for (auto& slot : answer.optimizer_slots)
      slots.push_back({slot.name, std::move(slot.values)});
    learner.restore_optimizer(answer.optimizer_steps, std::move(slots));
  }
  for (const auto& [timeline, time] : answer.timelines) {
    auto found = run.position.timelines.find(timeline);
    if (found == run.position.timelines.end())
      throw std::invalid_argument("no timeline is called '" + timeline + "'; register it first");
    found->second = time;
  }
}

void register_timeline(const std::string& name, Position& position) {
  if (is_builtin_timeline(name))
    throw std::invalid_argument("'" + name + "' cannot be the name of a timeline of yours");
  static_cast<void>(each(1).on(name)); // throws if no schedule can name it
  position.timelines.emplace(name, 0.0);
}

Status status_of(const Training& training, const std::string& phase,
                 const std::string& waiting_for) {
  const auto& run = training.run;
  Status status;
  status.worker = training.options.worker;
  status.phase = phase;
  status.waiting_for = waiting_for;
  status.position = run.position;
  status.totals = run.totals;
  status.expected_length = expected_length(training);
  status.loss = run.loss;
  status.learning_rate = training.learner->optimizer().learning_rate();
  status.subscriptions = training.subscriptions.reports_of_present();
  status.interrupted = run.interrupted_now();
  return status;
}

Records status_records(Training& training) {
  const auto& run = training.run;
  const auto count = [](auto n) { return Value{static_cast<std::int64_t>(n)}; };
  Records status{
    {"batches_done", count(run.position.batches)},
    {"epochs_done", count(run.position.epochs)},
    {"examples_done", count(run.position.examples)},
    {"batches_per_epoch", count(training.learner->order().batches_per_epoch())},
    {"training_started", Value{run.started}},
    {"received_first_batch", Value{run.position.batches > 0}},
    {"epoch_started", Value{run.epoch_started}},
    {"training_finished", Value{run.step == LoopPhase::ended}},
  };
  if (run.epoch_ends.count() == run.position.epochs)
    status[epoch_ends_status] = Value{run.epoch_ends.text()};
  if (run.step == LoopPhase::before_training) {
    status["epoch_interrupt_received"] = Value{false};
    status["batch_interrupt_received"] = Value{false};
  }
  if (run.over()) {
    status["outcome"] = Value{to_string(run.outcome())};
    status["reason"] = Value{run.reason()};
  }
  const auto now = training.clock.latest();
  if (run.over() || (run.started && training.times.is_due_after_epoch(now)))
    status.merge(training.times.records(run, training.subscriptions, now));
  return status;
}

Finished finished_of(const Training& training) {
  const auto& run = training.run;
  Finished finished;
  finished.worker = training.options.worker;
  finished.main = training.main;
  finished.outcome = run.outcome();
  finished.causes = run.causes();
  finished.error = run.error;
  finished.position = run.position;
  finished.totals = run.totals;
  finished.parameters = {run.position.batches, training.learner->parameters()};
  finished.subscriptions = training.subscriptions.reports();
  return finished;
}

} // namespace troupe
