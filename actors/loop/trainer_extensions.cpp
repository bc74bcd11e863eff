#include "actors/loop/trainer_extensions.hpp"

#include "actors/loop/run_failure.hpp"
#include "base/text/text.hpp"
#include "messages/requests/error.hpp"
#include "messages/timing/clocks.hpp"

#include <stdexcept>
#include <utility>

namespace troupe {

namespace {

/// Whether a callback occurs for each batch, so that its cost matters.
bool comes_with_each_batch(Callback callback) {
  return callback == Callback::before_batch || callback == Callback::before_update
         || callback == Callback::after_batch;
}

/// The sequence length of the finished epoch, if the problem has a curriculum.
Records curriculum_records(const Training& training) {
  const auto length
    = training.learner->problem().curriculum_length(training.run.position.epochs - 1);
  if (length == 0)
    return {};
  return {{"curriculum_length", Value{static_cast<std::int64_t>(length)}}};
}

} // namespace

void TrainerExtensions::begin(TrainerActor::pointer self, Training& training, const TrainerLog& log,
                              Continuation continuation) {
  self_ = self;
  training_ = &training;
  log_ = log;
  continuation_ = std::move(continuation);
  calls_.begin(
    self, training, log,
    {[this](const Subscription& gate, GateAnswer& answer) { answered(gate, answer); },
     [this](const Subscription& gate, bool late, const std::string& what) {
       lose(gate, late, what);
     },
     continuation_.now,
     [this](Subscription& observer, const caf::error& error) { report_failure(observer, error); }});
}

// -- who is subscribed ----------------------------------------------------------------------------

template <class Request>
caf::result<Subscribed> TrainerExtensions::subscribe(const Request& request) {
  auto& training = *training_;
  try {
    auto& run = training.run;
    if (run.running())
      run.position.seconds = training.clock.seconds(seconds_now(self_));
    if (!training.subscriptions.any_shows_spans())
      training.spans = {}; // of steps that were traced long ago
    auto& added = training.subscriptions.add(request, run.position, training.options.predicates);
    missing_.erase(added.name);
    if (training.progress.calling())
      calls_.added(training.subscriptions.place_of(added));
    if (added.is_gate())
      self_->monitor(added.gate);
    else
      self_->monitor(added.observer);
    Subscribed answer{added.id, {}};
    if (run.running() && run.position.batches > 0)
      answer.lost = lost_conditions(added.conditions.conditions(), run.position);
    for (const auto& sentence : answer.lost)
      log_.say(Level::warning, "extension '" + added.name + "': " + sentence);
    return answer;
  } catch (const std::invalid_argument& e) {
    return fail(Error::invalid_options, e.what());
  }
}

template caf::result<Subscribed> TrainerExtensions::subscribe(const Subscribe&);
template caf::result<Subscribed> TrainerExtensions::subscribe(const SubscribeGate&);

caf::result<Unsubscribed> TrainerExtensions::unsubscribe(SubscriptionId id) {
  auto& subscriptions = training_->subscriptions;
  auto subscription = subscriptions.find(id);
  if (!subscription)
    return fail(Error::unknown_name, training_->worker() + " has no subscription "
                                       + std::to_string(id) + "; it may have ended already");
  const auto lost = subscription->window.lost();
  subscriptions.end(*subscription);
  if (awaited().is(*subscription))
    stop_waiting();
  if (!training_->run.running())
    subscriptions.sweep();
  return Unsubscribed{lost};
}

void TrainerExtensions::actor_ended(const caf::down_msg& down) {
  const auto& run = training_->run;
  for (const auto& subscription : training_->subscriptions.of(down.source)) {
    training_->subscriptions.end(*subscription);
    const auto is_awaited = awaited().is(*subscription);
    lose(*subscription, false,
         "the actor of extension '" + subscription->name + "' has ended (" + sentence(down.reason)
           + ")" + (is_awaited ? " while training waited for it at " + to_string(run.step) : ""));
    if (is_awaited)
      stop_waiting();
    else if (!training_->steering.is_quiescing()) // a state may be saved before it continues
      continuation_.soon(); // if it waits for the common end, nothing else would wake it
  }
}

bool TrainerExtensions::actor_failed(const caf::strong_actor_ptr& sender, const caf::error& error) {
  const auto subscriptions = training_->subscriptions.of(caf::actor_cast<caf::actor_addr>(sender));
  for (const auto& subscription : subscriptions)
    report_failure(*subscription, error);
  return !subscriptions.empty();
}

void TrainerExtensions::report_failure(Subscription& observer, const caf::error& error) {
  if (std::exchange(observer.failed, true))
    return;
  log_.say(Level::warning, "extension '" + observer.name
                             + "' answered an event with an error: " + sentence(error)
                             + "; training continues, and further errors of it are not reported");
}

std::string TrainerExtensions::take_missing() {
  const auto missing = std::exchange(missing_, {});
  return missing.empty() ? "" : missing.begin()->second;
}

// -- calls, and what comes of them ----------------------------------------------------------------

bool TrainerExtensions::call() {
  auto& training = *training_;
  auto& run = training.run;
  auto& progress = training.progress;
  const auto callback = *callback_of(run.step);
  if (!progress.calling() && comes_with_each_batch(callback)
      && !training.subscriptions.any_at(callback))
    return true;
  if (!progress.calling()) {
    progress.begin_calls();
    calls_.begin_callback(callback);
    if (!comes_with_each_batch(callback))
      run.position.seconds = training.clock.seconds(seconds_now(self_));
    if (callback == Callback::after_epoch) {
      const auto records = curriculum_records(training);
      log_.write(run.position, records);
      run.row.insert(records.begin(), records.end()); // for conditions on records
    }
  }
  while (progress.calling()) {
    try {
      if (!comes_with_each_batch(callback))
        settle(training);
      if (!calls_.serve())
        return false;
      progress.end();
    } catch (const std::runtime_error& e) {
      fail_run(training, log_, e.what());
    }
  }
  if (callback == Callback::after_epoch)
    log_.write_status(status_records(training));
  if (!comes_with_each_batch(callback))
    training.subscriptions.sweep();
  return true;
}

void TrainerExtensions::answered(const Subscription& gate, GateAnswer& answer) {
  auto& run = training_->run;
  try {
    carry_out(answer, *training_);
    if (answer.finish) {
      const auto reason
        = answer.reason.empty() ? "'" + gate.name + "' asked for it" : answer.reason;
      std::vector<std::string> reasons{reason};
      reasons.insert(reasons.end(), answer.further_reasons.begin(), answer.further_reasons.end());
      finish(gate, reasons);
      answer.records["training_finish_requested"] = Value{reason};
    }
    if (answer.close_epoch)
      run.close_epoch();
    log_.write(run.position, answer.records);
    for (auto& [name, value] : answer.records)
      run.row[name] = std::move(value);
  } catch (const std::exception& e) {
    fail_run(*training_, log_,
             "the answer of extension '" + gate.name + "' at " + to_string(run.step)
               + " cannot be applied: " + e.what());
  }
}

void TrainerExtensions::lose(const Subscription& subscription, bool late, const std::string& what) {
  const auto policy = late ? subscription.on_deadline : subscription.on_end;
  if (!training_->run.running()) { // without training it matters only at the next Start
    if (policy == OnLoss::fail)
      missing_[subscription.name] = what;
    return;
  }
  if (training_->steering.is_paused() && policy != OnLoss::proceed) {
    training_->steering.resume(); // to the end
    continuation_.soon();
  }
  switch (policy) {
  case OnLoss::proceed: log_.say(Level::warning, what + "; training continues without it"); break;
  case OnLoss::finish:
    log_.say(Level::warning, what + "; training ends here in good order");
    finish(subscription, {what});
    break;
  case OnLoss::fail:
    fail_run(*training_, log_,
             what + "; start it again, or give '" + subscription.name + "' "
               + (late ? "on_deadline" : "on_end") + ": proceed if training can do without it");
    break;
  }
}

void TrainerExtensions::finish(const Subscription& subscription,
                               const std::vector<std::string>& reasons) {
  auto& run = training_->run;
  const auto for_all = subscription.main_only && stopper_ && run.step < LoopPhase::on_interrupt;
  if (!for_all || run.ends_now()) {
    for (const auto& reason : reasons)
      run.finish(reason);
    return;
  }
  if (training_->steering.await_common_end()) // otherwise the others already know of it
    self_->send(stopper_, StopAll{joined(reasons, "; ")});
}

} // namespace troupe
