// Time: alarms on the clock of the actor system, and how much of a time limit is used up.
//
//   anyone                          timer                          listener
//     | ---- SetAlarm -------------> |                                |
//     | <--- AlarmSet -------------- |                                |
//     |                              | ---- Alarm ------------------> |   once or repeatedly
//     | ---- CancelAlarm ----------> |                                |
//     | ---- GetUsedTime ----------> |
//     | <--- UsedTime -------------- |
#pragma once

#include "messages/inspection/inspect.hpp"

#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

namespace troupe {

using AlarmId = std::uint64_t;

struct Alarm {
  AlarmId id = 0;
  std::uint64_t times = 1; ///< how often it was due since the last one; > 1 if the clock jumped
  double used = 0;         ///< seconds since the timer began, including earlier runs
  FIELDS(id, times, used);
};

using AlarmListener = caf::typed_actor<caf::reacts_to<Alarm>>;

/// Times count from the timer's beginning: its spawn, minus the time used by earlier runs.
struct SetAlarm {
  double at = 0;    ///< seconds of used time; past times ring at once
  double every = 0; ///< seconds between repetitions, at least 0.001; 0: once
  AlarmListener listener;
  FIELDS(at, every, listener);
};

struct AlarmSet {
  AlarmId id = 0;
  FIELDS(id);
};

struct CancelAlarm {
  AlarmId id = 0;
  FIELDS(id);
};

struct GetUsedTime {
  FIELDS();
};

struct UsedTime {
  double seconds = 0;
  FIELDS(seconds);
};

/// A timer of the timer actor: ring all alarms that are due.
struct RingAlarm {
  double at = 0; ///< used time for which it was sent
  FIELDS(at);
};

using Timer
  = caf::typed_actor<caf::replies_to<SetAlarm>::with<AlarmSet>, caf::reacts_to<CancelAlarm>,
                     caf::replies_to<GetUsedTime>::with<UsedTime>>;

} // namespace troupe
