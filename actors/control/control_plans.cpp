// Executes a command of remote control after exactly one batch, with a gate that is used once.
#include "actors/control/control_state.hpp"
#include "messages/requests/request_within.hpp"

#include <caf/actor_cast.hpp>
#include <caf/send.hpp>

#include <charconv>
#include <utility>

namespace troupe {

namespace {

constexpr double gate_deadline = 600;              // most seconds that training waits for a command
constexpr std::chrono::seconds plan_deadline{600}; // for a trainer's answer

std::string ended_before_command(const ControlCommand& command) {
  return "training ended before '" + command.text + "' could be executed; nothing was changed";
}

} // namespace

void ControlState::plan(const ControlJobPtr& job) {
  const auto left = std::make_shared<std::size_t>(job->trainers.size());
  for (const auto trainer : job->trainers)
    plan_at(job, trainer, [this, job, left] {
      if (--*left > 0)
        return;
      if (!job->errors.empty())
        drop_parts(*job);     // if one worker cannot execute it, none does
      if (!job->command.at) { // the gate answers
        if (!job->errors.empty())
          job->finish({job->errors, false});
        return;
      }
      const auto ok = job->errors.empty();
      if (ok)
        job->lines.push_back("scheduled: " + job->command.text);
      for (const auto& error : job->errors)
        job->lines.push_back(error);
      self_->send(options_.logger,
                  Say{ok ? Level::info : Level::warning,
                      "control: " + (ok ? "" : job->command.text + ": ") + job->lines.front()});
      job->finish({job->lines, ok});
    });
}

/// A batch that is already over is refused before subscribing.
void ControlState::plan_at(const ControlJobPtr& job, std::size_t trainer,
                           std::function<void()> then) {
  if (!job->command.at)
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
        job->errors.push_back(ended_before_command(job->command));
        refuse();
      },
      [job, trainer, refuse](const caf::error& error) {
        no_answer(*job, trainer, error);
        refuse();
      });
}

/// Subscribes a gate at one trainer, for its part of the job.
void ControlState::subscribe_plan(const ControlJobPtr& job, std::size_t trainer,
                                  std::function<void()> then) {
  const auto part = std::make_shared<ControlJob>();
  part->command = job->command;
  part->trainers = {trainer};
  for (const auto& extension : job->extensions)
    if (extension.trainer == trainer)
      part->extensions.push_back(extension);
  if (!job->command.at)
    part->finish = job->finish;
  const auto number = ++plans_made_;
  plans_[number] = {part, 0, false};
  job->plans.push_back(number);
  auto condition = moment_of(job->command);
  condition.arguments = {std::to_string(number)};
  SubscribeGate subscribe;
  subscribe.name = "control " + std::to_string(number) + ": " + job->command.text;
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
      [](const caf::error&) {}); // the trainer is gone: the next request reports it
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

/// Whether the trainer is past the batch already; adds an error to the job if so.
bool ControlState::is_over(ControlJob& job, const Status& status) {
  if (!job.command.at || status.position.batches < *job.command.at)
    return false;
  job.errors.push_back("batch " + std::to_string(*job.command.at) + " of worker "
                       + std::to_string(status.worker) + " is over, the worker is at batch "
                       + std::to_string(status.position.batches)
                       + "; give a later batch, or leave out at=");
  return true;
}

/// Ends the extensions spawned for a job that is not executed at this trainer.
void ControlState::abandon_extensions(const ControlJob& job, std::size_t trainer) {
  for (const auto& extension : job.extensions)
    if (extension.trainer == trainer)
      caf::anon_send_exit(extension.actor, caf::exit_reason::user_shutdown);
}

/// If the trainer has passed the batch in the meantime, its gate is never called; adds an error
/// then.
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
    const auto sentence = ended_before_command(plan.job->command);
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
      finish_draining(promise);
  };
  for (const auto& extension : attached_)
    request_within(self_, extension.actor, plan_deadline, Drain{})
      .then([done](const Drained&) { done(); }, [done](const caf::error&) { done(); });
  done();
  return promise;
}

/// The log's last rows arrive before the answer to Flush; after that, followers may see its end.
void ControlState::finish_draining(caf::typed_response_promise<Drained> promise) {
  const auto flushed = [this, promise] {
    ended_ = true;
    drained_ = promise;
    check();
  };
  request_within(self_, options_.logger, std::chrono::seconds{30}, Flush{})
    .then([flushed](const Flushed&) { flushed(); }, [flushed](const caf::error&) { flushed(); });
}

} // namespace troupe
