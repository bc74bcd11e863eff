// Keeps the one authoritative copy of the parameters. Protocol: messages/parameters.hpp.
#pragma once

#include "troupe/messages/parameters.hpp"

namespace troupe {

/// Spawns a holder without parameters; the first worker to join and create gives it its layout and
/// values. It ends when nobody holds a handle to it any more.
ParameterHolder spawn_parameter_holder(caf::actor_system& system);

} // namespace troupe
