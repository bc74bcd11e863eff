#include "actors/control/control_breakpoints.hpp"

#include "base/text/nearest_name.hpp"
#include "messages/requests/error.hpp"
#include "messages/requests/request_within.hpp"

#include <caf/actor_cast.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>

namespace troupe {

namespace {

constexpr const char* breakpoint_argument = "breakpoint"; // marks the events of its gates
constexpr double breakpoint_deadline = 3600; // seconds that training waits for records at most
constexpr std::chrono::seconds observer_deadline{1800};
constexpr std::chrono::seconds steering_deadline{600};

std::size_t trainer_of(const LoopEvent& event) {
  std::size_t trainer = 0;
  const auto& text = event.arguments.back();
  std::from_chars(text.data(), text.data() + text.size(), trainer);
  return trainer;
}

} // namespace

void ControlBreakpoints::begin(ControlActor::pointer self, const ControlOptions& options,
                               const AttachedExtensions& attached, ControlLog log) {
  self_ = self;
  options_ = &options;
  attached_ = &attached;
  log_ = std::move(log);
}

void ControlBreakpoints::written(const Row& row) {
  for (const auto& [name, value] : row.records)
    names_.insert(name);
}

// -- setting and removing ------------------------------------------------------------------------

/// Of a condition that can never be met.
std::string ControlBreakpoints::refusal(const Breakpoint& breakpoint) const {
  const auto& own = batch_values();
  const auto& name = breakpoint.name;
  if (std::find(own.begin(), own.end(), name) != own.end()) {
    const auto finds_nan
      = breakpoint.test >= Breakpoint::Test::nan && name == "loss" && options_->stops_at_nan;
    return finds_nan ? "training.nan is stop, so the run ends at such a loss before a breakpoint "
                       "can pause it; start it with training.nan=ignore or training.nan=skip"
                     : "";
  }
  if (names_.count(name) > 0 || !options_->refuse_record)
    return "";
  std::vector<std::string> known{own};
  known.insert(known.end(), names_.begin(), names_.end());
  const auto refused = options_->refuse_record(name);
  return refused.empty() || !nearest_name(name, known)
           ? refused
           : "no record is called '" + name + "'" + suggestion(name, known);
}

void ControlBreakpoints::set(const ControlJobPtr& job, const std::function<void()>& then) {
  const auto& breakpoint = *job->command.breakpoint;
  if (const auto sentence = refusal(breakpoint); !sentence.empty()) {
    job->errors.push_back(sentence);
    return then();
  }
  const auto number = breakpoints_.add(breakpoint, job->by);
  job->lines.push_back("breakpoint " + std::to_string(number) + ": " + breakpoint.text);
  if (gates_)
    return then();
  subscribe(job, then);
}

void ControlBreakpoints::remove(const ControlJobPtr& job, const std::function<void()>& then) {
  const auto& number = job->command.breakpoint_number;
  if (!number)
    breakpoints_.clear();
  else if (!breakpoints_.remove(*number))
    job->errors.push_back("there is no breakpoint " + std::to_string(*number)
                          + "; 'break' lists them");
  if (breakpoints_.empty())
    end_gates();
  then();
}

void ControlBreakpoints::list(ControlJob& job) const {
  job.lines = breakpoints_.lines();
  if (job.lines.empty())
    job.lines.emplace_back("no breakpoints");
}

void ControlBreakpoints::subscribe(const ControlJobPtr& job, const std::function<void()>& then) {
  const auto gates = std::make_shared<Gates>();
  gates->ids.resize(options_->trainers.size());
  gates_ = gates;
  ++made_;
  const auto left = std::make_shared<std::size_t>(gates->ids.size());
  const auto done = [left, then] {
    if (--*left == 0)
      then();
  };
  for (std::size_t trainer = 0; trainer < gates->ids.size(); ++trainer) {
    SubscribeGate subscribe;
    subscribe.name = "breakpoints" + (made_ > 1 ? " " + std::to_string(made_) : "");
    subscribe.gate = caf::actor_cast<Gate>(self_);
    subscribe.deadline = breakpoint_deadline;
    subscribe.on_deadline = subscribe.on_end = OnLoss::proceed;
    subscribe.last = true;
    subscribe.conditions.add_condition({"after_batch", "after_epoch"}, "",
                                       {breakpoint_argument, std::to_string(trainer)});
    request_within(self_, options_->trainers[trainer], steering_deadline, subscribe)
      .then(
        [=, this](const Subscribed& subscribed) {
          gates->ids[trainer] = subscribed.id;
          if (gates->ended)
            unsubscribe(trainer, subscribed.id);
          done();
        },
        [=](const caf::error& error) {
          job->no_answer(trainer, error);
          done();
        });
  }
}

void ControlBreakpoints::unsubscribe(std::size_t trainer, SubscriptionId id) {
  request_within(self_, options_->trainers[trainer], steering_deadline, Unsubscribe{id})
    .then([](const Unsubscribed&) {}, [](const caf::error&) {});
}

void ControlBreakpoints::end_gates() {
  const auto gates = std::exchange(gates_, nullptr);
  if (!gates)
    return;
  gates->ended = true;
  for (std::size_t trainer = 0; trainer < gates->ids.size(); ++trainer)
    if (gates->ids[trainer] != 0)
      unsubscribe(trainer, gates->ids[trainer]);
}

// -- looking at a batch --------------------------------------------------------------------------

bool ControlBreakpoints::is_asked(const LoopEvent& event) {
  return event.arguments.size() == 2 && event.arguments.front() == breakpoint_argument;
}

caf::typed_response_promise<GateAnswer> ControlBreakpoints::gate(const LoopEvent& event) {
  auto promise = self_->make_response_promise<GateAnswer>();
  const auto trainer = trainer_of(event);
  if (breakpoints_.empty() || trainer >= options_->trainers.size()) {
    promise.deliver(GateAnswer{});
    return promise;
  }
  const auto conclude = [this, event, trainer, promise](Records row) {
    decide(event, trainer, std::move(row));
    auto answered = promise;
    answered.deliver(GateAnswer{});
  };
  if (!breakpoints_.need_records()) {
    conclude({});
    return promise;
  }
  await_observers(trainer, [this, event, conclude] {
    request_within(self_, options_->logger, observer_deadline,
                   ReadRow{{event.worker, event.position.batches}, true})
      .then([conclude](Row& row) { conclude(std::move(row.records)); },
            [conclude](const caf::error&) { conclude({}); });
  });
  return promise;
}

/// An observer answers Drain when it has written what belongs to the events so far.
void ControlBreakpoints::await_observers(std::size_t trainer, std::function<void()> then) {
  std::vector<Extension> observers;
  for (const auto& extension : attached_->all())
    if (extension.trainer == trainer && !extension.gate)
      observers.push_back(extension.actor);
  const auto left = std::make_shared<std::size_t>(observers.size() + 1);
  const auto done = [left, then = std::move(then)] {
    if (--*left == 0)
      then();
  };
  for (const auto& observer : observers)
    request_within(self_, observer, observer_deadline, Drain{})
      .then([done](const Drained&) { done(); }, [done](const caf::error&) { done(); });
  done();
}

void ControlBreakpoints::decide(const LoopEvent& event, std::size_t trainer, Records row) {
  const auto& position = event.position;
  row["loss"] = Value{event.loss};
  row["learning_rate"] = Value{event.learning_rate};
  row["batch"] = Value{static_cast<std::int64_t>(position.batches)};
  row["epoch"] = Value{static_cast<std::int64_t>(position.epochs)};
  row["seconds"] = Value{position.seconds};
  const auto hit = breakpoints_.met(row, trainer, position.batches);
  if (!hit)
    return;
  pause_all(trainer);
  Write write;
  write.row = {event.worker, position.batches};
  write.epoch = position.epochs;
  write.seconds = position.seconds;
  log_.note("pause at breakpoint " + std::to_string(hit->number) + " (" + hit->text
              + "), the value is " + shortest(hit->value),
            {}, "breakpoint " + std::to_string(hit->number), std::move(write));
}

/// The trainer that met it is told first, so that it begins no further batch unless others wait
/// for it.
void ControlBreakpoints::pause_all(std::size_t trainer) {
  self_->send(options_->trainers[trainer], Pause{});
  if (options_->quiescence) {
    request_within(self_, options_->quiescence, steering_deadline, Pause{})
      .then([](const QuiescenceReached&) {}, [](const caf::error&) {});
    return;
  }
  for (const auto& other : options_->trainers)
    if (other != options_->trainers[trainer])
      self_->send(other, Pause{});
}

} // namespace troupe
