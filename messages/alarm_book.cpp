#include "troupe/messages/alarm_book.hpp"

#include <cmath>
#include <stdexcept>

namespace troupe {

AlarmId AlarmBook::set(const SetAlarm& alarm, double now) {
  constexpr double shortest_period = 0.001;
  if (!std::isfinite(alarm.at) || !std::isfinite(alarm.every)
      || (alarm.every != 0 && alarm.every < shortest_period))
    throw std::invalid_argument("an alarm at " + std::to_string(alarm.at) + " s, every "
                                + std::to_string(alarm.every)
                                + " s; give finite times, and a period of 0 or at least 1 ms");
  if (!alarm.listener)
    throw std::invalid_argument("an alarm needs a listener");
  entries_[next_] = {std::max(alarm.at, now), alarm.every, alarm.listener};
  return next_++;
}

std::optional<double> AlarmBook::wait(AlarmId id, double now) const {
  const auto found = entries_.find(id);
  if (found == entries_.end())
    return std::nullopt;
  return std::max(0.0, found->second.due - now);
}

std::optional<AlarmBook::Ring> AlarmBook::ring(AlarmId id, double now) {
  const auto found = entries_.find(id);
  // The clock of a system counts nanoseconds: what is due within one is due.
  constexpr double tick = 1e-9;
  if (found == entries_.end() || found->second.due > now + tick)
    return std::nullopt;
  auto& entry = found->second;
  Ring ring{{id, 1, now}, entry.listener};
  if (entry.every > 0) {
    ring.alarm.times += static_cast<std::uint64_t>((now + tick - entry.due) / entry.every);
    entry.due += static_cast<double>(ring.alarm.times) * entry.every;
  } else {
    entries_.erase(found);
  }
  return ring;
}

} // namespace troupe
