// How the trainer serves its subscriptions at a callback.
#include "actors/loop/saved_learner.hpp"
#include "actors/loop/trainer_state.hpp"
#include "base/exception_text.hpp"
#include "base/text/duration.hpp"
#include "messages/requests/request_within.hpp"

#include <stdexcept>

namespace troupe {

namespace {

/// Comes again and again, so that what it costs counts.
bool comes_with_each_batch(Callback callback) {
  return callback == Callback::before_batch || callback == Callback::before_update
         || callback == Callback::after_batch;
}

bool last_of_run(Callback callback) {
  return callback == Callback::after_training || callback == Callback::on_error
         || callback == Callback::on_interrupt;
}

} // namespace

bool TrainerState::serve() {
  const auto callback = *callback_of(run_.step);
  if (!serving_) {
    serving_ = true;
    next_subscription_ = 0;
    firings_.clear();
    next_firing_ = 0;
    if (!comes_with_each_batch(callback))
      update_seconds();
    if (callback == Callback::after_epoch)
      note_curriculum();
  }
  while (serving_) {
    while (next_firing_ < firings_.size()) {
      const auto subscription = subscriptions_.all()[next_subscription_ - 1];
      const auto firing = std::move(firings_[next_firing_++]);
      if (subscription->ended)
        break;
      if (subscription->is_gate()) {
        ask(subscription, firing);
        return false;
      }
      notify(*subscription, firing);
    }
    firings_.clear();
    next_firing_ = 0;
    const auto& all = subscriptions_.all();
    while (next_subscription_ < all.size()
           && (all[next_subscription_]->ended || (all[next_subscription_]->main_only && !main_)
               || !all[next_subscription_]->conditions.possible(callback, run_.position)))
      ++next_subscription_;
    if (next_subscription_ >= all.size()) {
      serving_ = false;
      break;
    }
    const auto subscription = all[next_subscription_++];
    try {
      firings_ = subscription->conditions.firings(callback, run_.position, run_.row);
    } catch (...) { // a predicate's
      fail_run("a condition of extension '" + subscription->name + "' failed at "
               + to_string(run_.step) + " of batch " + std::to_string(run_.position.batches) + ": "
               + exception_text());
    }
  }
  if (callback == Callback::after_epoch)
    write_status();
  if (!comes_with_each_batch(callback))
    subscriptions_.sweep();
  return true;
}

LoopEvent TrainerState::event(const Subscription& subscription, const Firing& firing) {
  LoopEvent event;
  event.subscription = subscription.id;
  event.worker = options_.worker;
  event.callback = *callback_of(run_.step);
  event.position = run_.position;
  event.epoch_batches = run_.epoch_batches();
  event.times = firing.times;
  event.arguments = firing.arguments;
  event.started = run_.started;
  event.done = last_of_run(event.callback);
  event.loss = run_.loss;
  event.learning_rate = learner_->optimizer().learning_rate();
  event.totals = run_.totals;
  event.loss_weight = run_.loss_weight;
  event.loss_sum = run_.loss_sum;
  event.batch_loss_sum = run_.batch_loss_sum;
  event.expected_length = expected_length();
  event.lost = subscription.window.lost_since_sent();
  if (event.done)
    event.reason = run_.reason();
  if (subscription.shows != Shows::nothing)
    event.parameters = {run_.position.batches, learner_->parameters()};
  if (subscription.shows == Shows::optimizer || subscription.shows == Shows::update) {
    const auto& optimizer = learner_->optimizer();
    for (const auto& slot : optimizer.slots())
      event.optimizer_slots.push_back({slot.name, slot.values});
    event.optimizer_steps = optimizer.steps();
  }
  if (subscription.shows == Shows::step) {
    event.updated_from = updated_from_;
    event.updated_to = updated_to_;
  }
  if (subscription.shows >= Shows::gradients) // those that show more, too
    event.gradient = Block::copy_of(learner_->gradient());
  return event;
}

void TrainerState::notify(Subscription& subscription, const Firing& firing) {
  auto copy = event(subscription, firing);
  switch (subscription.window.offer(copy.done)) {
  case ObserverWindow::Decision::lose: break;
  case ObserverWindow::Decision::send: self_->send(subscription.observer, std::move(copy)); break;
  case ObserverWindow::Decision::send_and_confirm: {
    const auto number = subscription.window.sent();
    const auto id = subscription.id;
    self_->request(subscription.observer, caf::infinite, std::move(copy))
      .then(
        [this, id, number] {
          if (auto confirmed = subscriptions_.find(id))
            confirmed->window.confirm(number);
        },
        [](const caf::error&) {}); // its end reaches us through the monitor
    break;
  }
  }
}

void TrainerState::ask(const std::shared_ptr<Subscription>& subscription, const Firing& firing) {
  awaited_ = {subscription, now(), ++tickets_, false};
  ++subscription->asked;
  AskGate question{event(*subscription, firing), learner_->optimizer().settings()};
  const auto has = [this, ticket = tickets_](GateAnswer& answer) { answered(ticket, answer); };
  const auto has_not
    = [this, ticket = tickets_](const caf::error& error) { unanswered(ticket, error); };
  if (is_looked_after(*subscription))
    self_->request(subscription->gate, caf::infinite, std::move(question)).then(has, has_not);
  else
    request_within(self_, subscription->gate, timespan_of(subscription->deadline),
                   std::move(question))
      .then(has, has_not);
}

void TrainerState::answered(std::uint64_t ticket, GateAnswer& answer) {
  if (!awaited_.gate || awaited_.ticket != ticket)
    return;
  const auto gate = awaited_.gate;
  try {
    set_all(answer.settings, learner_->optimizer());
    if (!answer.parameters.empty())
      learner_->set_parameters(std::move(answer.parameters));
    if (!answer.gradient.empty() && run_.step != LoopPhase::before_update)
      throw std::invalid_argument(
        "it gives a gradient, which is too late or too early; subscribe it to "
        "before_update");
    if (!answer.gradient.empty())
      learner_->set_gradient(answer.gradient.view());
    if (!answer.optimizer_slots.empty()) {
      std::vector<OptimizerSlot> slots;
      for (auto& slot : answer.optimizer_slots)
        slots.push_back({slot.name, std::move(slot.values)});
      learner_->optimizer().restore(answer.optimizer_steps, std::move(slots));
    }
    for (const auto& [timeline, time] : answer.timelines) {
      auto found = run_.position.timelines.find(timeline);
      if (found == run_.position.timelines.end())
        throw std::invalid_argument("no timeline is called '" + timeline + "'; register it first");
      found->second = time;
    }
    if (answer.finish) {
      const auto reason
        = answer.reason.empty() ? "'" + gate->name + "' asked for it" : answer.reason;
      std::vector<std::string> reasons{reason};
      reasons.insert(reasons.end(), answer.further_reasons.begin(), answer.further_reasons.end());
      finish(*gate, reasons);
      answer.records["training_finish_requested"] = Value{reason};
    }
    if (answer.close_epoch)
      run_.close_epoch();
    write(answer.records);
    for (auto& [name, value] : answer.records)
      run_.row[name] = std::move(value);
  } catch (const std::exception& e) {
    fail_run("the answer of extension '" + gate->name + "' at " + to_string(run_.step)
             + " cannot be carried out: " + e.what());
  }
  stop_waiting();
}

void TrainerState::unanswered(std::uint64_t ticket, const caf::error& error) {
  if (!awaited_.gate || awaited_.ticket != ticket)
    return;
  const auto gate = awaited_.gate;
  if (error == caf::sec::request_timeout) {
    lose(*gate, true,
         "extension '" + gate->name + "' did not answer within its deadline of "
           + shortest(gate->deadline) + " s at " + to_string(run_.step) + " of batch "
           + std::to_string(run_.position.batches));
  } else {
    gate->ended = gate->ended || error == caf::sec::request_receiver_down;
    lose(*gate, false,
         "extension '" + gate->name + "' failed at " + to_string(run_.step) + " of batch "
           + std::to_string(run_.position.batches) + ": " + sentence(error));
  }
  stop_waiting();
}

void TrainerState::stop_waiting() {
  if (!awaited_.gate)
    return;
  const auto waited = now() - awaited_.since;
  awaited_.gate->waited_seconds += waited;
  run_.totals.gate_seconds += waited;
  awaited_ = {};
  if (run_.running())
    train_slice();
}

void TrainerState::update_seconds() {
  run_.position.seconds = seconds_before_ + (now() - started_at_);
}

void TrainerState::update_seconds_while_running() {
  if (run_.running())
    update_seconds();
}

} // namespace troupe
