// Rings alarms and counts used time. Protocol: messages/timing/timing.hpp.
#pragma once

#include "messages/timing/timing.hpp"

namespace troupe {

/// Spawns a timer on the clock of the actor system. It ends when nobody holds a handle to it any
/// more and no alarm is set.
/// @param used seconds that earlier runs have used up already
/// @throws std::invalid_argument for a time below 0, or that is not finite.
Timer spawn_timer(caf::actor_system& system, double used = 0);

} // namespace troupe
