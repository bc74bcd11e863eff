// How remote control does something after exactly one batch: by a gate of its own, once.
#include "troupe/actors/control_state.hpp"
#include "troupe/messages/request_within.hpp"

#include <caf/actor_cast.hpp>
#include <caf/send.hpp>

#include <charconv>
#include <utility>

namespace troupe {

namespace {

constexpr double gate_deadline = 600; // seconds that training waits for an act at most

} // namespace

void ControlState::plan(const ControlJobPtr& job) {
  const auto left = std::make_shared<std::size_t>(job->trainers.size());
  for (const auto trainer : job->trainers)
    plan_at(job, trainer, [this, job, left] {
      if (--*left > 0)
        return;
      if (!job->act.at) { // the gate itself answers, where there is one
        if (!job->errors.empty())
          job->finish({job->errors, false});
        return;
      }
      const auto ok = job->errors.empty();
      if (ok)
        job->lines.push_back("will be done: " + job->act.text);
      for (const auto& error : job->errors)
        job->lines.push_back(error);
      self_->send(options_.logger,
                  Say{ok ? Level::info : Level::warning,
                      "control: " + (ok ? "" : job->act.text + ": ") + job->lines.front()});
      job->finish({job->lines, ok});
    });
}

/// One gate at one trainer, with a part of the job.
void ControlState::plan_at(const ControlJobPtr& job, std::size_t trainer,
                           std::function<void()> then) {
  const auto part = std::make_shared<ControlJob>();
  part->act = job->act;
  part->trainers = {trainer};
  for (const auto& extension : job->extensions)
    if (extension.trainer == trainer)
      part->extensions.push_back(extension);
  if (!job->act.at)
    part->finish = job->finish;
  const auto number = ++plans_made_;
  plans_[number] = {part, 0, false};
  auto condition = moment_of(job->act);
  condition.arguments = {std::to_string(number)};
  SubscribeGate subscribe;
  subscribe.name = "control " + std::to_string(number);
  subscribe.conditions.add_condition(condition);
  subscribe.gate = caf::actor_cast<Gate>(self_);
  subscribe.deadline = gate_deadline;
  subscribe.on_deadline = subscribe.on_end = OnLoss::proceed;
  const auto refused = [this, job, number, trainer, then](const caf::error& error) {
    job->errors.push_back("the trainer of worker " + std::to_string(trainer)
                          + " answered: " + sentence(error));
    drop(number, trainer);
    then();
  };
  request_within(self_, options_.trainers[trainer], std::chrono::seconds{600}, subscribe)
    .then(
      [this, number](const Subscribed& subscribed) {
        if (auto found = plans_.find(number); found != plans_.end())
          found->second.subscription = subscribed.id;
      },
      [](const caf::error&) {}); // the trainer is gone: the next question says so
  request_within(self_, options_.trainers[trainer], std::chrono::seconds{600}, GetStatus{})
    .then(
      [this, job, number, then](const Status& status) {
        confirm(number, job, status);
        then();
      },
      refused);
}

/// Where the trainer stands behind the batch already, its gate is not asked any more.
void ControlState::confirm(std::uint64_t number, const ControlJobPtr& job, const Status& status) {
  const auto found = plans_.find(number);
  if (found == plans_.end() || found->second.begun || !job->act.at
      || status.position.batches < *job->act.at)
    return;
  job->errors.push_back("batch " + std::to_string(*job->act.at) + " of worker "
                        + std::to_string(status.worker) + " is over, it stands at "
                        + std::to_string(status.position.batches)
                        + "; give a later batch, or leave out at=");
  drop(number, found->second.job->trainers.front());
}

void ControlState::drop(std::uint64_t number, std::size_t trainer) {
  const auto found = plans_.find(number);
  if (found == plans_.end())
    return;
  if (!found->second.begun)
    for (const auto& extension : found->second.job->extensions)
      caf::anon_send_exit(extension.actor, caf::exit_reason::user_shutdown);
  if (found->second.subscription != 0)
    request_within(self_, options_.trainers[trainer], std::chrono::seconds{600},
                   Unsubscribe{found->second.subscription})
      .then([](const Unsubscribed&) {}, [](const caf::error&) {});
  plans_.erase(found);
}

caf::typed_response_promise<GateAnswer> ControlState::gate(const LoopEvent& event) {
  auto promise = self_->make_response_promise<GateAnswer>();
  std::uint64_t number = 0;
  if (!event.arguments.empty())
    std::from_chars(event.arguments.front().data(),
                    event.arguments.front().data() + event.arguments.front().size(), number);
  const auto found = plans_.find(number);
  if (found == plans_.end() || found->second.begun) {
    promise.deliver(GateAnswer{});
    return promise;
  }
  found->second.begun = true;
  const auto job = found->second.job;
  job->event = event;
  job->release = [this, number, promise, trainer = job->trainers.front(), done = false]() mutable {
    if (std::exchange(done, true))
      return;
    promise.deliver(GateAnswer{});
    drop(number, trainer);
  };
  perform(job);
  return promise;
}

// -- the end of the run --------------------------------------------------------------------------

void ControlState::abandon_plans() {
  for (const auto& [number, plan] : std::exchange(plans_, {})) {
    if (plan.begun)
      continue;
    for (const auto& extension : plan.job->extensions)
      caf::anon_send_exit(extension.actor, caf::exit_reason::user_shutdown);
    const auto sentence
      = "training ended before '" + plan.job->act.text + "' could be done; nothing was changed";
    self_->send(options_.logger, Say{Level::warning, "control: " + sentence});
    plan.job->finish({{sentence}, false});
  }
}

caf::typed_response_promise<Drained> ControlState::drain() {
  auto promise = self_->make_response_promise<Drained>();
  closing_ = true;
  abandon_plans();
  const auto left = std::make_shared<std::size_t>(attached_.size() + 1);
  const auto done = [this, promise, left] {
    if (--*left == 0)
      see_off(promise);
  };
  for (const auto& extension : attached_)
    request_within(self_, extension.actor, std::chrono::seconds{600}, Drain{})
      .then([done](const Drained&) { done(); }, [done](const caf::error&) { done(); });
  done();
  return promise;
}

/// The log's last rows come before the answer to Flush; then who follows it may see its end.
void ControlState::see_off(caf::typed_response_promise<Drained> promise) {
  const auto go_on = [this, promise] {
    ended_ = true;
    drained_ = promise;
    look();
  };
  request_within(self_, options_.logger, std::chrono::seconds{30}, Flush{})
    .then([go_on](const Flushed&) { go_on(); }, [go_on](const caf::error&) { go_on(); });
}

} // namespace troupe
