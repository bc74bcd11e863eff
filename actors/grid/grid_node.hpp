// Offers this process's runners to a grid on another machine. Protocol:
// messages/grid/grid_nodes.hpp.
#pragma once

#include "messages/grid/grid_nodes.hpp"

#include <functional>
#include <string>
#include <vector>

namespace troupe {

struct GridNodeOptions {
  EnterGrid enter;                   ///< who it is; it counts the runners itself
  std::vector<LeasedRunner> runners; ///< so many runs at once
  double patience = 60;              ///< seconds for which a host that is away is looked for
  /// Ends the runs under way, after their epoch (level 1) or batch (2), with a reason for people.
  /// Called by the actor, hence brief; again and again while there are any, since one that is just
  /// beginning may hear of nothing yet.
  std::function<void(std::uint32_t level, const std::string& why)> stop_runs;
  /// Tells people what happens; called by the actor, hence brief.
  std::function<void(const std::string& line)> tell;
};

/// Spawns a node. While the host does not answer for two renewals it counts as away: runs end after
/// their batch, and are given up; the host is looked for with growing pauses, and the node joins
/// anew. It ends with its answer to StartNode, and the entrance with it.
/// @param entrance (actors/grid/grid_admission.hpp) of its own
GridNode spawn_grid_node(caf::actor_system& system, GridAdmission entrance,
                         GridNodeOptions options);

} // namespace troupe
