#pragma once

#include "messages/timing/timing.hpp"

#include <map>
#include <optional>
#include <set>
#include <utility>

namespace troupe {

/// The alarms of a timer: which is due when, and how often it was due. Times are seconds of used
/// time.
class AlarmTable {
public:
  struct Entry {
    double due = 0;   ///< next time it rings
    double every = 0; ///< 0: once
    AlarmListener listener;
  };

  /// @throws std::invalid_argument for times that cannot be.
  AlarmId set(const SetAlarm& alarm, double now);
  void cancel(AlarmId id);

  /// When the nearest alarm is due; nothing where there is none.
  std::optional<double> next_due() const;

  struct Ring {
    Alarm alarm;
    AlarmListener listener;
  };
  /// What rings at `now` for the nearest alarm, if it is due: a repeated one moves on past `now`, a
  /// single one is gone.
  std::optional<Ring> ring(double now);

private:
  AlarmId next_ = 1;
  std::map<AlarmId, Entry> entries_;
  std::set<std::pair<double, AlarmId>> by_due_;
};

} // namespace troupe
