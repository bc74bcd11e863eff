#pragma once

#include "messages/timing/timing.hpp"

#include <map>
#include <optional>
#include <set>
#include <utility>

namespace troupe {

/// The alarms of a timer: when each is due, and how often it was due. Times are seconds of used
/// time.
class AlarmTable {
public:
  struct Entry {
    double due = 0;   ///< next time it rings
    double every = 0; ///< 0: once
    AlarmListener listener;
  };

  /// @throws std::invalid_argument for invalid times.
  AlarmId set(const SetAlarm& alarm, double now);
  void cancel(AlarmId id);

  /// When the next alarm is due; nothing if there is none.
  std::optional<double> next_due() const;

  struct Ring {
    Alarm alarm;
    AlarmListener listener;
  };
  /// The next alarm if it is due at `now`. A repeated one is rescheduled past `now`, a single one
  /// is removed.
  std::optional<Ring> ring(double now);

private:
  AlarmId next_ = 1;
  std::map<AlarmId, Entry> entries_;
  std::set<std::pair<double, AlarmId>> by_due_;
};

} // namespace troupe
