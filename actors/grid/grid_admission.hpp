#pragma once

#include "messages/grid/grid_nodes.hpp"

namespace troupe {

/// Spawns what takes a node into its grid, once for each request: it finds the way to the host,
/// joins, reads the probe in the folder that the node is given there, and shows it. Whatever fails
/// is the answer. It ends when nobody holds a handle to it any more.
GridAdmission spawn_grid_admission(caf::actor_system& system, GridConnector connector);

} // namespace troupe
