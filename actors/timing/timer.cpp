#include "actors/timing/timer.hpp"

#include "messages/timing/alarm_table.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <chrono>
#include <cmath>
#include <set>
#include <stdexcept>
#include <string>

namespace troupe {

namespace {

using TimerActor = Timer::extend<caf::reacts_to<RingAlarm>>;

class TimerState {
public:
  static constexpr const char* name = "timer";
  using Self = TimerActor::stateful_pointer<TimerState>;

  void begin(Self self, double used) {
    self_ = self;
    began_ = self->clock().now();
    used_before_ = used;
  }

  double used() const {
    return used_before_ + std::chrono::duration<double>(self_->clock().now() - began_).count();
  }

  caf::result<AlarmSet> set(const SetAlarm& alarm) {
    try {
      const auto id = alarms_.set(alarm, used());
      schedule_next();
      return AlarmSet{id};
    } catch (const std::invalid_argument& e) {
      return fail(Error::invalid_options, e.what());
    }
  }

  void ring(const RingAlarm& alarm) {
    in_flight_.erase(alarm.at);
    const auto now = used();
    while (auto ring = alarms_.ring(now))
      self_->send(ring->listener, ring->alarm);
    schedule_next();
  }

  void cancel(AlarmId id) { alarms_.cancel(id); }

private:
  /// Schedules a message no later than the next alarm. Scheduled messages cannot be cancelled, so
  /// one message for each alarm would outlive cancelled alarms.
  void schedule_next() {
    constexpr double longest_wait = 1e6; // seconds; more may overflow the clock's nanoseconds
    const auto due = alarms_.next_due();
    const auto now = used();
    if (!due)
      return;
    const auto at = std::min(*due, now + longest_wait);
    if (!in_flight_.empty() && *in_flight_.begin() <= at)
      return;
    in_flight_.insert(at);
    self_->delayed_send(self_,
                        std::chrono::ceil<std::chrono::nanoseconds>(
                          std::chrono::duration<double>(std::max(at - now, 0.0))),
                        RingAlarm{at});
  }

  Self self_ = nullptr;
  caf::actor_clock::time_point began_;
  double used_before_ = 0;
  AlarmTable alarms_;
  std::set<double>
    in_flight_; ///< messages of schedule_next(), by the used time at which they arrive
};

TimerActor::behavior_type timer(TimerState::Self self, double used) {
  auto& state = self->state;
  state.begin(self, used);
  return {
    [&state](const SetAlarm& alarm) { return state.set(alarm); },
    [&state](const CancelAlarm& alarm) { state.cancel(alarm.id); },
    [&state](const GetUsedTime&) { return UsedTime{state.used()}; },
    [&state](const RingAlarm& alarm) { state.ring(alarm); },
  };
}

} // namespace

Timer spawn_timer(caf::actor_system& system, double used) {
  if (!std::isfinite(used) || used < 0)
    throw std::invalid_argument("a timer's used time is " + std::to_string(used)
                                + " s; give the seconds of earlier runs, 0 or more");
  return system.spawn(timer, used);
}

} // namespace troupe
