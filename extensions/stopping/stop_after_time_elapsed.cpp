#include "extensions/stopping/stop_after_time_elapsed.hpp"

#include "base/text/duration.hpp"
#include "extensions/support/extension_kind.hpp"
#include "extensions/support/saved_state.hpp"
#include "messages/requests/request_within.hpp"
#include "messages/timing/clocks.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/actor_cast.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <cmath>
#include <stdexcept>

namespace troupe {

namespace {

using StopActor = Extension::extend<caf::reacts_to<Alarm>>;

constexpr auto timer_deadline = std::chrono::seconds{10};

class StopAfterTimeElapsedState {
public:
  static constexpr const char* name = "stop after time elapsed";
  using Self = StopActor::stateful_pointer<StopAfterTimeElapsedState>;

  void begin(Self self, const StopAfterTimeElapsedOptions& options, Trainer trainer, Timer timer) {
    self_ = self;
    limit_ = options.total_duration.count();
    from_construction_ = options.start == "construction";
    constructed_ = now();
    trainer_ = std::move(trainer);
    timer_ = std::move(timer);
  }

  GateAnswer ask(const LoopEvent& event) {
    const auto begins = event.callback == Callback::before_training;
    if (begins || (!begun_ && !event.done)) { // or it was attached during training
      begun_ = true;
      asked_ = false;
      set_alarm(limit_ - elapsed(event));
    }
    GateAnswer answer;
    if (!event.done && !asked_ && elapsed(event) >= limit_) {
      asked_ = true;
      answer.finish = true;
      answer.reason = reason();
    }
    return answer;
  }

  void alarm(AlarmId id) {
    if (id != alarm_ || asked_) // an alarm of an earlier run, or the end was already requested
      return;
    asked_ = true;
    self_->send(trainer_, Stop{StopLevel::after_batch, reason(), false});
  }

  /// The time used since construction: a resumed run has so much less. Training's own is part of
  /// the trainer's position.
  SavedFields state() const {
    SavedFields state;
    put(state, "used_seconds", now() - constructed_);
    return state;
  }

  void restore(const SavedFields& state) {
    auto used = 0.0;
    take(state, "used_seconds", used);
    constructed_ = now() - used;
  }

private:
  double now() const { return seconds_now(self_); }

  double elapsed(const LoopEvent& event) const {
    return from_construction_ ? now() - constructed_ : event.position.seconds;
  }

  void set_alarm(double seconds_left) {
    if (alarm_ != 0) // so there is a timer
      self_->send(timer_, CancelAlarm{alarm_});
    alarm_ = 0;
    if (!timer_ || !std::isfinite(seconds_left))
      return;
    auto failed = [this](const caf::error& error) {
      self_->send(trainer_,
                  Stop{StopLevel::after_batch,
                       "the time limit cannot be observed: the timer answered: " + sentence(error),
                       false});
    };
    request_within(self_, timer_, timer_deadline, GetUsedTime{})
      .then(
        [=, this](const UsedTime& used) {
          request_within(
            self_, timer_, timer_deadline,
            SetAlarm{used.seconds + seconds_left, 0, caf::actor_cast<AlarmListener>(self_)})
            .then([this](const AlarmSet& set) { alarm_ = set.id; }, failed);
        },
        failed);
  }

  std::string reason() const {
    return "the time limit of " + print_duration(std::chrono::duration<double>{limit_})
           + " is reached";
  }

  Self self_ = nullptr;
  double limit_ = 0, constructed_ = 0;
  bool from_construction_ = false;
  bool begun_ = false; ///< training has begun
  bool asked_ = false; ///< the end of this run was requested
  AlarmId alarm_ = 0;  ///< of this run; 0: none
  Trainer trainer_;
  Timer timer_; ///< null: no alarms
};

StopActor::behavior_type stop_after_time_elapsed(StopAfterTimeElapsedState::Self self,
                                                 const StopAfterTimeElapsedOptions& options,
                                                 Trainer trainer, Timer timer) {
  auto& state = self->state;
  state.begin(self, options, std::move(trainer), std::move(timer));
  return {
    [&state](const LoopEvent& event) { state.ask(event); },
    [&state](const AskGate& ask) { return state.ask(ask.event); },
    [](const Drain&) { return Drained{}; },
    saves(state),
    restores(state),
    [&state](const Alarm& alarm) { state.alarm(alarm.id); },
  };
}

} // namespace

Conditions stop_after_time_elapsed_conditions() {
  Conditions conditions;
  for (const auto* trigger : {"before_training", "on_resumption"})
    conditions.set_trigger(trigger, true);
  return conditions;
}

void check(const StopAfterTimeElapsedOptions& options) {
  if (!(options.total_duration.count() >= 0))
    throw std::invalid_argument("total_duration is "
                                + std::to_string(options.total_duration.count())
                                + " s; give a time of 0 or more, like 90s, 15m or 12:00:00");
  if (options.start != "training" && options.start != "construction")
    throw std::invalid_argument("stop_after_time_elapsed cannot start its clock with '"
                                + options.start + "'; it knows: training, construction");
}

Extension spawn_stop_after_time_elapsed(caf::actor_system& system,
                                        StopAfterTimeElapsedOptions options, Trainer trainer,
                                        Timer timer) {
  check(options);
  return system.spawn(stop_after_time_elapsed, options, std::move(trainer), std::move(timer));
}

namespace {

/// Without a duration it would end training at once.
Sentences missing_duration(const StopAfterTimeElapsedOptions&, const ConfiguredExtension& self,
                           const RunFacts&) {
  const auto* given = self.options.find("total_duration");
  if (given != nullptr && given->source() != config::default_source)
    return {};
  return {"extensions." + self.name + " has no total_duration; give a time, like 12h"};
}

const RegisterExtension stop_after_time_elapsed_kind{ExtensionOf<StopAfterTimeElapsedOptions>{
  .name = "stop_after_time_elapsed",
  .gate = true,
  .workers = "all",
  .on_end = OnLoss::fail,
  .conditions = stop_after_time_elapsed_conditions,
  .spawn =
    [](const StopAfterTimeElapsedOptions& options, const ExtensionContext& context) {
      return spawn_stop_after_time_elapsed(context.system, options, context.trainer(),
                                           context.main_only ? Timer{} : context.timer);
    },
  .writes = {finish_requested},
  .needs_every_batch
  = [](const StopAfterTimeElapsedOptions&,
       const ExtensionContext& context) { return context.main_only || context.in_flight; },
  .hooks = {.ends =
              [](const StopAfterTimeElapsedOptions& options, const ConfiguredExtension&) {
                return ExpectedEnd{.seconds = options.total_duration.count()};
              },
            .defects = missing_duration},
}};

} // namespace

} // namespace troupe
