#pragma once

#include "messages/grid/grid_nodes.hpp"

namespace troupe {

/// Spawns the actor that brings a node into its grid, once for each request: it connects to the
/// coordinator, joins, reads the probe in the folder that the node gets, and shows it. The first
/// failure is the answer. It ends with its last handle.
GridJoiner spawn_grid_joiner(caf::actor_system& system, GridConnector connector);

} // namespace troupe
