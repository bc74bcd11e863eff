// Rings alarms and counts used time. Protocol: messages/timing/timing.hpp.
#pragma once

#include "messages/timing/timing.hpp"

namespace troupe {

/// Spawns a timer on the clock of the actor system. It ends with its last handle when no alarm is
/// set.
/// @param used seconds that earlier runs have used up already
/// @throws std::invalid_argument for a time that is negative or not finite.
Timer spawn_timer(caf::actor_system& system, double used = 0);

} // namespace troupe
