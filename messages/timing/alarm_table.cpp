#include "messages/timing/alarm_table.hpp"

#include <cmath>
#include <stdexcept>

namespace troupe {

AlarmId AlarmTable::set(const SetAlarm& alarm, double now) {
  constexpr double shortest_period = 0.001;
  if (!std::isfinite(alarm.at) || !std::isfinite(alarm.every)
      || (alarm.every != 0 && alarm.every < shortest_period))
    throw std::invalid_argument("an alarm at " + std::to_string(alarm.at) + " s, every "
                                + std::to_string(alarm.every)
                                + " s; give finite times, and a period of 0 or at least 1 ms");
  if (!alarm.listener)
    throw std::invalid_argument("an alarm needs a listener");
  const auto due = std::max(alarm.at, now);
  entries_[next_] = {due, alarm.every, alarm.listener};
  by_due_.emplace(due, next_);
  return next_++;
}

void AlarmTable::cancel(AlarmId id) {
  if (const auto found = entries_.find(id); found != entries_.end()) {
    by_due_.erase({found->second.due, id});
    entries_.erase(found);
  }
}

std::optional<double> AlarmTable::next_due() const {
  return by_due_.empty() ? std::nullopt : std::optional{by_due_.begin()->first};
}

std::optional<AlarmTable::Ring> AlarmTable::ring(double now) {
  // The system's clock counts nanoseconds: an alarm that is due within one is due.
  constexpr double tick = 1e-9;
  if (by_due_.empty() || by_due_.begin()->first > now + tick)
    return std::nullopt;
  const auto id = by_due_.begin()->second;
  by_due_.erase(by_due_.begin());
  const auto found = entries_.find(id);
  auto& entry = found->second;
  Ring ring{{id, 1, now}, entry.listener};
  if (entry.every > 0) {
    ring.alarm.times += static_cast<std::uint64_t>((now + tick - entry.due) / entry.every);
    entry.due += static_cast<double>(ring.alarm.times) * entry.every;
    by_due_.emplace(entry.due, id);
  } else {
    entries_.erase(found);
  }
  return ring;
}

} // namespace troupe
