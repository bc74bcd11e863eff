// How remote control does something after exactly one batch: by a gate of its own, once.
#include "actors/control/control_state.hpp"
#include "messages/requests/request_within.hpp"

#include <caf/actor_cast.hpp>
#include <caf/send.hpp>

#include <charconv>
#include <utility>

namespace troupe {

namespace {

constexpr double gate_deadline = 600;              // seconds that training waits for an act at most
constexpr std::chrono::seconds plan_deadline{600}; // of a trainer

std::string ended_before_act(const ControlAct& act) {
  return "training ended before '" + act.text + "' could be done; nothing was changed";
}

} // namespace

void ControlState::plan(const ControlJobPtr& job) {
  const auto left = std::make_shared<std::size_t>(job->trainers.size());
  for (const auto trainer : job->trainers)
    plan_at(job, trainer, [this, job, left] {
      if (--*left > 0)
        return;
      if (!job->errors.empty())
        drop_parts(*job); // what cannot be done at one worker is done at none
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

/// A batch that is over is refused before anybody subscribes to it.
void ControlState::plan_at(const ControlJobPtr& job, std::size_t trainer,
                           std::function<void()> then) {
  if (!job->act.at)
    return subscribe_plan(job, trainer, std::move(then));
  const auto refuse = [job, trainer, then] {
    abandon_extensions(*job, trainer);
    then();
  };
  request_within(self_, options_.trainers[trainer], plan_deadline, GetStatus{})
    .then(
      [this, job, trainer, then, refuse](const Status& status) {
        if (is_over(*job, status))
          return refuse();
        if (!closing_)
          return subscribe_plan(job, trainer, then);
        job->errors.push_back(ended_before_act(job->act));
        refuse();
      },
      [job, trainer, refuse](const caf::error& error) {
        no_answer(*job, trainer, error);
        refuse();
      });
}

/// One gate at one trainer, with a part of the job.
void ControlState::subscribe_plan(const ControlJobPtr& job, std::size_t trainer,
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
  job->plans.push_back(number);
  auto condition = moment_of(job->act);
  condition.arguments = {std::to_string(number)};
  SubscribeGate subscribe;
  subscribe.name = "control " + std::to_string(number) + ": " + job->act.text;
  subscribe.conditions.add_condition(condition);
  subscribe.gate = caf::actor_cast<Gate>(self_);
  subscribe.deadline = gate_deadline;
  subscribe.on_deadline = subscribe.on_end = OnLoss::proceed;
  request_within(self_, options_.trainers[trainer], plan_deadline, subscribe)
    .then(
      [this, number](const Subscribed& subscribed) {
        if (auto found = plans_.find(number); found != plans_.end())
          found->second.subscription = subscribed.id;
      },
      [](const caf::error&) {}); // the trainer is gone: the next question says so
  request_within(self_, options_.trainers[trainer], plan_deadline, GetStatus{})
    .then(
      [this, job, number, then](const Status& status) {
        confirm(number, *job, status);
        then();
      },
      [job, trainer, then](const caf::error& error) {
        no_answer(*job, trainer, error);
        then();
      });
}

/// Whether the trainer stands behind the batch already; says so.
bool ControlState::is_over(ControlJob& job, const Status& status) {
  if (!job.act.at || status.position.batches < *job.act.at)
    return false;
  job.errors.push_back("batch " + std::to_string(*job.act.at) + " of worker "
                       + std::to_string(status.worker) + " is over, it stands at "
                       + std::to_string(status.position.batches)
                       + "; give a later batch, or leave out at=");
  return true;
}

/// What was spawned for a job that is not done at this trainer.
void ControlState::abandon_extensions(const ControlJob& job, std::size_t trainer) {
  for (const auto& extension : job.extensions)
    if (extension.trainer == trainer)
      caf::anon_send_exit(extension.actor, caf::exit_reason::user_shutdown);
}

/// Where it has passed the batch meanwhile, its gate is not asked any more; says so.
void ControlState::confirm(std::uint64_t number, ControlJob& job, const Status& status) {
  const auto found = plans_.find(number);
  if (found != plans_.end() && !found->second.begun)
    is_over(job, status);
}

void ControlState::drop_parts(const ControlJob& job) {
  for (const auto number : job.plans)
    if (const auto found = plans_.find(number); found != plans_.end() && !found->second.begun)
      drop(number, found->second.job->trainers.front());
}

void ControlState::drop(std::uint64_t number, std::size_t trainer) {
  const auto found = plans_.find(number);
  if (found == plans_.end())
    return;
  if (!found->second.begun)
    abandon_extensions(*found->second.job, trainer);
  if (found->second.subscription != 0)
    request_within(self_, options_.trainers[trainer], plan_deadline,
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
    abandon_extensions(*plan.job, plan.job->trainers.front());
    const auto sentence = ended_before_act(plan.job->act);
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
    request_within(self_, extension.actor, plan_deadline, Drain{})
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
