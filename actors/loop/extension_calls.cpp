#include "actors/loop/extension_calls.hpp"

#include "base/text/duration.hpp"
#include "messages/requests/error.hpp"
#include "messages/requests/request_within.hpp"
#include "messages/timing/clocks.hpp"

#include <cmath>
#include <utility>

namespace troupe {

void ExtensionCalls::begin(TrainerActor::pointer self, Training& training, TrainerLog log,
                           Outcomes outcomes) {
  self_ = self;
  training_ = &training;
  log_ = std::move(log);
  outcomes_ = std::move(outcomes);
}

bool ExtensionCalls::serve() {
  while (auto call
         = cursor_.next(training_->subscriptions.all(), training_->run, training_->main)) {
    settle(*training_); // what it sees is of batches that are done
    if (call->subscription->is_gate()) {
      ask(call->subscription, call->firing);
      return false;
    }
    notify(*call->subscription, call->firing);
  }
  return true;
}

void ExtensionCalls::notify(Subscription& subscription, const Firing& firing) {
  auto copy = event_for(subscription, firing, *training_);
  switch (subscription.window.offer(copy.done)) {
  case ObserverWindow::Decision::lose: break;
  case ObserverWindow::Decision::send: self_->send(subscription.observer, std::move(copy)); break;
  case ObserverWindow::Decision::send_and_confirm: {
    const auto number = subscription.window.sent();
    const auto id = subscription.id;
    self_->request(subscription.observer, caf::infinite, std::move(copy))
      .then([this, id, number] { confirm(id, number); },
            [this, id, number](const caf::error& error) {
              if (error == caf::sec::request_receiver_down)
                return; // the monitor reports its end
              confirm(id, number);
              if (auto failed = training_->subscriptions.find(id))
                outcomes_.failed(*failed, error);
            });
    break;
  }
  }
}

void ExtensionCalls::confirm(SubscriptionId id, std::uint64_t number) {
  if (auto confirmed = training_->subscriptions.find(id))
    confirmed->window.confirm(number);
}

void ExtensionCalls::ask(const std::shared_ptr<Subscription>& subscription, const Firing& firing) {
  const auto ticket = awaited_.await(subscription, seconds_now(self_));
  AskGate question{event_for(*subscription, firing, *training_),
                   training_->learner->optimizer().settings()};
  const auto has = [this, ticket](GateAnswer& answer) { answered(ticket, answer); };
  const auto has_not = [this, ticket](const caf::error& error) { unanswered(ticket, error); };
  if (AwaitedGate::is_checked(*subscription))
    self_->request(subscription->gate, caf::infinite, std::move(question)).then(has, has_not);
  else
    request_within(self_, subscription->gate, timespan_of(subscription->deadline),
                   std::move(question))
      .then(has, has_not);
}

void ExtensionCalls::answered(std::uint64_t ticket, GateAnswer& answer) {
  if (!awaited_.is(ticket))
    return;
  const auto gate = awaited_.gate();
  for (const auto& [part, seconds] : answer.spent)
    gate->spent[part] += seconds;
  outcomes_.answered(*gate, answer);
  stop_waiting(std::move(answer.spans));
}

void ExtensionCalls::unanswered(std::uint64_t ticket, const caf::error& error) {
  if (!awaited_.is(ticket))
    return;
  const auto gate = awaited_.gate();
  if (error == caf::sec::request_timeout) {
    outcomes_.lost(*gate, true,
                   "extension '" + gate->name + "' did not answer within its deadline of "
                     + shortest(gate->deadline) + " s at " + moment());
  } else {
    if (error == caf::sec::request_receiver_down)
      training_->subscriptions.end(*gate);
    outcomes_.lost(*gate, false,
                   "extension '" + gate->name + "' failed at " + moment() + ": " + sentence(error));
  }
  stop_waiting();
}

void ExtensionCalls::stop_waiting(std::vector<Span> spans) {
  if (!awaited_)
    return;
  const auto now = seconds_now(self_);
  if (training_->subscriptions.any_shows_spans()) {
    training_->spans.add("gate " + awaited_.gate()->name, awaited_.since(), now);
    training_->spans.add(std::move(spans));
  }
  training_->run.totals.gate_seconds += awaited_.release(now);
  outcomes_.go_on();
}

void ExtensionCalls::check_deadline() {
  switch (awaited_.check(seconds_now(self_))) {
  case AwaitedGate::Check::in_time: break;
  case AwaitedGate::Check::late:
    unanswered(awaited_.ticket(), caf::make_error(caf::sec::request_timeout));
    break;
  case AwaitedGate::Check::report: {
    const auto& gate = *awaited_.gate();
    log_.say(Level::info, training_->worker() + " has waited 2 s for extension '" + gate.name
                            + "' at " + to_string(training_->run.step)
                            + (std::isinf(gate.deadline)
                                 ? "; it has no deadline"
                                 : "; its deadline is " + shortest(gate.deadline) + " s"));
    break;
  }
  }
}

std::string ExtensionCalls::moment() const {
  const auto& run = training_->run;
  return to_string(run.step) + " of batch " + std::to_string(run.position.batches);
}

} // namespace troupe
