#include "actors/control/control_plans.hpp"

#include "messages/requests/request_within.hpp"

#include <caf/actor_cast.hpp>
#include <caf/send.hpp>

#include <charconv>
#include <chrono>
#include <utility>

namespace troupe {

namespace {

constexpr double gate_deadline = 600; // seconds that training waits for a command at most
constexpr std::chrono::seconds plan_deadline{600}; // of a trainer

/// Ends what was spawned for a job that is not done at this trainer.
void abandon_extensions(const ControlJob& job, std::size_t trainer) {
  for (const auto& extension : job.extensions)
    if (extension.trainer == trainer)
      caf::anon_send_exit(extension.actor, caf::exit_reason::user_shutdown);
}

} // namespace

void ControlPlans::begin(ControlActor::pointer self, const ControlOptions& options, ControlLog log,
                         std::function<void(const ControlJobPtr&)> perform) {
  self_ = self;
  options_ = &options;
  log_ = std::move(log);
  perform_ = std::move(perform);
}

bool ControlPlans::waits(std::uint64_t number) const {
  const auto found = plans_.find(number);
  return found != plans_.end() && !found->second.begun;
}

void ControlPlans::plan(const ControlJobPtr& job) {
  const auto left = std::make_shared<std::size_t>(job->trainers.size());
  for (const auto trainer : job->trainers)
    plan_at(job, trainer, [this, job, left] {
      if (--*left == 0)
        conclude(*job);
    });
}

void ControlPlans::conclude(ControlJob& job) {
  const auto ok = job.errors.empty();
  if (!ok)
    drop_parts(job);     // what cannot be done at one worker is done at none
  if (!job.command.at) { // the gate itself answers, if there is one
    if (!ok)
      job.finish();
    return;
  }
  if (ok)
    job.lines.push_back("scheduled: " + job.command.text);
  log_.say(ok ? Level::info : Level::warning,
           ok ? job.lines.front() : job.command.text + ": " + job.errors.front());
  job.finish();
}

/// A batch that is over is refused before a gate subscribes to it.
void ControlPlans::plan_at(const ControlJobPtr& job, std::size_t trainer,
                           std::function<void()> then) {
  if (!job->command.at)
    return subscribe(job, trainer, std::move(then));
  const auto refuse = [job, trainer, then] {
    abandon_extensions(*job, trainer);
    then();
  };
  request_within(self_, options_->trainers[trainer], plan_deadline, GetStatus{})
    .then(
      [this, job, trainer, then, refuse](const Status& status) {
        if (job->is_over(status))
          return refuse();
        if (!closed_)
          return subscribe(job, trainer, then);
        job->errors.push_back(job->ended_before());
        refuse();
      },
      [job, trainer, refuse](const caf::error& error) {
        job->no_answer(trainer, error);
        refuse();
      });
}

/// One gate at one trainer, with a part of the job.
void ControlPlans::subscribe(const ControlJobPtr& job, std::size_t trainer,
                             std::function<void()> then) {
  const auto number = ++made_;
  plans_[number] = {job->part_at(trainer), 0, false};
  job->plans.push_back(number);
  auto condition = moment_of(job->command);
  condition.arguments = {std::to_string(number)};
  SubscribeGate subscribe;
  subscribe.name = "control " + std::to_string(number) + ": " + job->command.text;
  subscribe.conditions.add_condition(condition);
  subscribe.gate = caf::actor_cast<Gate>(self_);
  subscribe.deadline = gate_deadline;
  subscribe.on_deadline = subscribe.on_end = OnLoss::proceed;
  request_within(self_, options_->trainers[trainer], plan_deadline, subscribe)
    .then(
      [this, number](const Subscribed& subscribed) {
        if (auto found = plans_.find(number); found != plans_.end())
          found->second.subscription = subscribed.id;
      },
      [](const caf::error&) {}); // the trainer is gone: the next question says so
  request_within(self_, options_->trainers[trainer], plan_deadline, GetStatus{})
    .then(
      [this, job, number, then](const Status& status) {
        if (waits(number)) // if it has passed the batch meanwhile, its gate is no longer asked
          job->is_over(status);
        then();
      },
      [job, trainer, then](const caf::error& error) {
        job->no_answer(trainer, error);
        then();
      });
}

void ControlPlans::drop_parts(const ControlJob& job) {
  for (const auto number : job.plans)
    if (waits(number))
      drop(number, plans_[number].job->trainers.front());
}

void ControlPlans::drop(std::uint64_t number, std::size_t trainer) {
  const auto found = plans_.find(number);
  if (found == plans_.end())
    return;
  if (!found->second.begun)
    abandon_extensions(*found->second.job, trainer);
  if (found->second.subscription != 0)
    request_within(self_, options_->trainers[trainer], plan_deadline,
                   Unsubscribe{found->second.subscription})
      .then([](const Unsubscribed&) {}, [](const caf::error&) {});
  plans_.erase(found);
}

caf::typed_response_promise<GateAnswer> ControlPlans::gate(const LoopEvent& event) {
  auto promise = self_->make_response_promise<GateAnswer>();
  std::uint64_t number = 0;
  if (!event.arguments.empty())
    std::from_chars(event.arguments.front().data(),
                    event.arguments.front().data() + event.arguments.front().size(), number);
  if (!waits(number)) {
    promise.deliver(GateAnswer{});
    return promise;
  }
  auto& plan = plans_[number];
  plan.begun = true;
  const auto job = plan.job;
  job->event = event;
  job->release = [this, number, promise, trainer = job->trainers.front(), done = false]() mutable {
    if (std::exchange(done, true))
      return;
    promise.deliver(GateAnswer{});
    drop(number, trainer);
  };
  perform_(job);
  return promise;
}

void ControlPlans::close() {
  closed_ = true;
  for (const auto& [number, plan] : std::exchange(plans_, {})) {
    if (plan.begun)
      continue;
    abandon_extensions(*plan.job, plan.job->trainers.front());
    const auto sentence = plan.job->ended_before();
    log_.say(Level::warning, sentence);
    plan.job->answer({{sentence}, false});
  }
}

void ControlPlans::abandon_all() const {
  for (const auto& [number, plan] : plans_)
    for (const auto& extension : plan.job->extensions)
      caf::anon_send_exit(extension.actor, caf::exit_reason::user_shutdown);
}

} // namespace troupe
