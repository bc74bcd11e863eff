#pragma once

#include "troupe/messages/timing.hpp"

#include <map>
#include <optional>

namespace troupe {

/// The alarms of a timer: which is due when, and how often it was due. Times are seconds of used
/// time.
class AlarmBook {
public:
  struct Entry {
    double due = 0;   ///< next time it rings
    double every = 0; ///< 0: once
    AlarmListener listener;
  };

  /// @throws std::invalid_argument for times that cannot be.
  AlarmId set(const SetAlarm& alarm, double now);
  void cancel(AlarmId id) { entries_.erase(id); }

  /// Seconds from `now` until the alarm is due, 0 where it is overdue; nothing for an alarm that is
  /// gone.
  std::optional<double> wait(AlarmId id, double now) const;

  struct Ring {
    Alarm alarm;
    AlarmListener listener;
  };
  /// What rings at `now` for this alarm, if it is due: a repeated one moves on past `now`, a single
  /// one is gone.
  std::optional<Ring> ring(AlarmId id, double now);

private:
  AlarmId next_ = 1;
  std::map<AlarmId, Entry> entries_;
};

} // namespace troupe
