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

/// Number of an alarm of one timer, from 1.
using AlarmId = std::uint64_t;

/// An alarm rings.
struct Alarm {
  AlarmId id = 0;          ///< from AlarmSet
  std::uint64_t times = 1; ///< how often it was due since the last one; > 1 if the clock jumped
  double used = 0;         ///< seconds since the timer began, including earlier runs
  TROUPE_FIELDS(id, times, used);
};

/// Gets alarms.
using AlarmListener = caf::typed_actor<caf::reacts_to<Alarm>>;

/// Times count from the timer's beginning: its spawn, minus the time used by earlier runs.
struct SetAlarm {
  double at = 0;          ///< seconds of used time; past times ring at once
  double every = 0;       ///< seconds between repetitions, at least 0.001; 0: once
  AlarmListener listener; ///< must not be null
  TROUPE_FIELDS(at, every, listener);
};

/// The alarm will ring.
struct AlarmSet {
  AlarmId id = 0; ///< for CancelAlarm
  TROUPE_FIELDS(id);
};

/// The alarm rings no more; one that is in flight may still come. An unknown number is ignored.
struct CancelAlarm {
  AlarmId id = 0; ///< from AlarmSet
  TROUPE_FIELDS(id);
};

/// Asks how much time is used up.
struct GetUsedTime {
  TROUPE_FIELDS();
};

/// How much time is used up.
struct UsedTime {
  double seconds = 0; ///< since the timer began, including earlier runs
  TROUPE_FIELDS(seconds);
};

/// A timer of the timer actor: ring all alarms that are due.
struct RingAlarm {
  double at = 0; ///< used time for which it was sent
  TROUPE_FIELDS(at);
};

/// Rings alarms (actors/timing/timer.hpp).
using Timer
  = caf::typed_actor<caf::replies_to<SetAlarm>::with<AlarmSet>, caf::reacts_to<CancelAlarm>,
                     caf::replies_to<GetUsedTime>::with<UsedTime>>;

} // namespace troupe
