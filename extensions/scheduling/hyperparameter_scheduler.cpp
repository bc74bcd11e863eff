#include "extensions/scheduling/hyperparameter_scheduler.hpp"

#include "base/text/text.hpp"
#include "extensions/support/extension_kind.hpp"
#include "extensions/support/saved_state.hpp"
#include "extensions/support/serial_queue.hpp"
#include "extensions/support/write_row.hpp"
#include "messages/evaluation/undefined_metrics.hpp"
#include "messages/requests/error.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

namespace troupe {

Conditions hyperparameter_scheduler_conditions() {
  Conditions conditions;
  for (const auto* trigger : {"before_training", "before_epoch", "after_batch"})
    conditions.set_trigger(trigger, true);
  return conditions;
}

ScheduledSetting::ScheduledSetting(const HyperparameterSchedulerOptions& options, bool mid_training)
  : schedule_(options.schedule),
    plateau_(options.schedule.patience, options.schedule.name == ValueCurve::plateau
                                          ? chosen(options.schedule.choose, options.schedule.record)
                                          : Choose::min),
    timeline_(options.timeline),
    mid_training_(mid_training) {
  if (!is_builtin_timeline(timeline_))
    throw std::invalid_argument(unknown_timeline(timeline_, {}));
}

double ScheduledSetting::next(const Position& now, double old) {
  const auto time = time_on(now, timeline_);
  if (!begun_) {
    origin_ = mid_training_ ? time : 0;
    start_ = old;
  } else if (old != last_)
    adopt_change(old);
  begun_ = true;
  planned_ = schedule_.at(time - origin_, start_, plateau_.drops());
  at_zero_ = planned_ != 0 ? 0 : at_zero_;
  last_ = planned_ != 0 ? scale_ * planned_ : at_zero_;
  return last_;
}

void ScheduledSetting::adopt_change(double changed) {
  if (last_ != 0)
    scale_ *= changed / last_;
  else if (planned_ != 0) // something else had set it to 0
    scale_ = changed / planned_;
  else
    at_zero_ = changed;
}

const std::string& ScheduledSetting::record() const {
  static const std::string none;
  const auto& options = schedule_.options();
  return options.name == ValueCurve::plateau ? options.record : none;
}

template <class Self, class Visit>
void ScheduledSetting::each_saved(Self& self, Visit visit) {
  visit("begun", self.begun_);
  visit("origin", self.origin_);
  visit("start", self.start_);
  visit("last", self.last_);
  visit("scale", self.scale_);
  visit("planned", self.planned_);
  visit("at_zero", self.at_zero_);
}

SavedFields ScheduledSetting::state() const {
  SavedFields state;
  each_saved(*this, [&state](const char* name, const auto& x) { put(state, name, x); });
  put(state, "plateau", plateau_.seen());
  return state;
}

void ScheduledSetting::restore(const SavedFields& state) {
  each_saved(*this, [&state](const char* name, auto& x) { take(state, name, x); });
  auto seen = plateau_.seen();
  take(state, "plateau", seen);
  plateau_.restore(seen);
}

namespace {

using SettingPromise = caf::typed_response_promise<GateAnswer>;

class HyperparameterSchedulerState {
public:
  static constexpr const char* name = "hyperparameter scheduler";
  using Self = Extension::stateful_pointer<HyperparameterSchedulerState>;

  void begin(Self self, std::string setting, bool record, Logger logger) {
    self_ = self;
    setting_ = std::move(setting);
    record_ = record;
    logger_ = std::move(logger);
  }

  SettingPromise ask(const AskGate& ask) {
    auto promise = self_->make_response_promise<GateAnswer>();
    if (function || scheduled.record().empty() || begins(ask.event.callback))
      answer(ask, promise);
    else
      read_record(ask, promise);
    return promise;
  }

  caf::typed_response_promise<SavedExtension> save() {
    auto promise = self_->make_response_promise<SavedExtension>();
    queue_.add([this, promise]() mutable { // for the state after all earlier requests
      promise.deliver(SavedExtension{state()});
      queue_.done();
    });
    return promise;
  }

  void restore(const SavedFields& state) { scheduled.restore(state); }

  ScheduledSetting scheduled;
  SettingFunction function; ///< used instead of `scheduled` if not null

private:
  /// At the start of training or of an epoch the record was already read at the end of the last
  /// one.
  static bool begins(Callback callback) {
    return callback == Callback::before_training || callback == Callback::on_resumption
           || callback == Callback::before_epoch;
  }

  /// The row of before_epoch is the last epoch's; a resumed run already has its row.
  static bool in_a_former_row(const LoopEvent& event) {
    return event.callback == Callback::before_epoch
           || (begins(event.callback) && event.position.batches > 0);
  }

  SavedFields state() const { return function ? SavedFields{} : scheduled.state(); }

  void answer(const AskGate& ask, SettingPromise promise) {
    const auto found = ask.settings.find(setting_);
    if (found == ask.settings.end()) {
      const auto known = joined(ask.settings, ", ", [](const auto& s) { return s.first; });
      promise.deliver(
        fail(Error::invalid_options, "hyperparameter_scheduler cannot change '" + setting_
                                       + "', which the optimizer does not have; it has: " + known));
      return;
    }
    const auto old = found->second;
    const auto value = function ? function(ask.event.position.batches, old)
                                : scheduled.next(ask.event.position, old);
    GateAnswer answer;
    if (value != old)
      answer.settings[setting_] = value;
    if (record_ && !in_a_former_row(ask.event))
      answer.records[setting_] = Value{value};
    promise.deliver(std::move(answer));
  }

  /// The trainer's deadline for this gate limits the wait.
  void read_record(const AskGate& ask, SettingPromise promise) {
    queue_.add([=, this] {
      self_->request(logger_, caf::infinite, ReadRow{row_of(ask.event), true})
        .then([=, this](const Row& row) { use_row(ask, promise, row.records); },
              [=, this](const caf::error&) { use_row(ask, promise, {}); });
    });
  }

  void use_row(const AskGate& ask, const SettingPromise& promise, const Records& row) {
    if (const auto record = number(row))
      scheduled.observe(*record);
    else if (ask.event.callback == Callback::after_epoch)
      warn_once(ask.event);
    answer(ask, promise);
    queue_.done();
  }

  std::optional<double> number(const Records& row) const {
    const auto found = row.find(scheduled.record());
    return found == row.end() || is_undefined(row, scheduled.record()) ? std::nullopt
                                                                       : as_number(found->second);
  }

  void warn_once(const LoopEvent& event) {
    if (std::exchange(warned_, true))
      return;
    self_->send(logger_,
                Say{Level::warning,
                    "the row of batch " + std::to_string(event.position.batches)
                      + " has no number '" + scheduled.record() + "', so " + setting_
                      + " does not change; a plateau needs a record that a gate before "
                        "hyperparameter_scheduler writes or announces, like stream_monitoring"});
  }

  Self self_ = nullptr;
  std::string setting_;
  bool record_ = false;
  Logger logger_;
  bool warned_ = false;
  SerialQueue queue_; ///< a state is saved once the row that is being read has been used
};

Extension::behavior_type scheduler_behavior(HyperparameterSchedulerState& state) {
  return {
    [](const LoopEvent&) {}, // an observer cannot change anything
    [&state](const AskGate& ask) { return state.ask(ask); },
    [](const Drain&) { return Drained{}; },
    [&state](const SaveExtension&) { return state.save(); },
    [&state](const RestoreExtension& restore) {
      state.restore(restore.state);
      return Restored{};
    },
  };
}

Extension::behavior_type scheduled_setting_of(HyperparameterSchedulerState::Self self,
                                              const HyperparameterSchedulerOptions& options,
                                              const ScheduledSetting& scheduled,
                                              const Logger& logger) {
  auto& state = self->state;
  state.begin(self, options.setting, options.record, logger);
  state.scheduled = scheduled;
  return scheduler_behavior(state);
}

Extension::behavior_type function_setting_of(HyperparameterSchedulerState::Self self,
                                             const std::string& setting,
                                             const SettingFunction& function) {
  auto& state = self->state;
  state.begin(self, setting, false, {});
  state.function = function;
  return scheduler_behavior(state);
}

} // namespace

void check(const HyperparameterSchedulerOptions& options) {
  [[maybe_unused]] const ScheduledSetting checked{options};
}

Extension spawn_hyperparameter_scheduler(caf::actor_system& system,
                                         const HyperparameterSchedulerOptions& options,
                                         Logger logger, bool mid_training) {
  return system.spawn(scheduled_setting_of, options, ScheduledSetting{options, mid_training},
                      std::move(logger));
}

Extension spawn_hyperparameter_scheduler(caf::actor_system& system, std::string setting,
                                         SettingFunction function) {
  return system.spawn(function_setting_of, std::move(setting), std::move(function));
}

namespace {

Sentences missing_setting(const HyperparameterSchedulerOptions& options,
                          const ConfiguredExtension& self, const RunFacts& run) {
  const auto& settings = run.optimizer_settings;
  if (settings.empty()
      || std::find(settings.begin(), settings.end(), options.setting) != settings.end())
    return {};
  return {"extensions." + self.name + ".setting is '" + options.setting
          + "', which the optimizer does not have; its settings are " + joined(settings)};
}

const RegisterExtension hyperparameter_scheduler_kind{ExtensionOf<HyperparameterSchedulerOptions>{
  .name = "hyperparameter_scheduler",
  .gate = true,
  .workers = "all",
  .on_end = OnLoss::fail,
  .conditions = hyperparameter_scheduler_conditions,
  .spawn =
    [](const HyperparameterSchedulerOptions& options, const ExtensionContext& context) {
      return spawn_hyperparameter_scheduler(context.system, options, context.logger,
                                            context.in_flight);
    },
  .place =
    [](const HyperparameterSchedulerOptions& options, OrderedExtension& place) {
      if (options.schedule.name == ValueCurve::plateau)
        place.needs = {options.schedule.record};
      if (options.record)
        place.writes = {options.setting};
    },
  .hooks = {.defects = missing_setting},
}};

} // namespace

} // namespace troupe
