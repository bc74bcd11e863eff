// Offers this process's runners to a grid on another machine. Protocol:
// messages/grid/grid_nodes.hpp.
#pragma once

#include "messages/grid/grid_nodes.hpp"

#include <functional>
#include <string>
#include <vector>

namespace troupe {

struct GridNodeOptions {
  EnterGrid enter;                   ///< its description; it counts the runners itself
  std::vector<LeasedRunner> runners; ///< one for each concurrent run
  double patience = 60;              ///< seconds for which it tries to reach a lost coordinator
  /// Ends the active runs, after their epoch (level 1) or batch (2), with the reason to print.
  /// Called by the actor, so it must be fast; called repeatedly while runs are active, since one
  /// that is just starting may miss a call.
  std::function<void(std::uint32_t level, const std::string& why)> stop_runs;
  /// Prints events; called by the actor, so it must be fast.
  std::function<void(const std::string& line)> notify;
};

/// Spawns a node. If the coordinator does not answer for two renewals it counts as lost: runs end
/// after their batch and are given up, and the node tries to reach the coordinator with growing
/// pauses, and joins again. If a runner refuses a trial, which this node must not run, the node
/// leaves the grid. It ends with its answer to StartNode, together with `joiner`.
/// @param joiner (actors/grid/grid_joiner.hpp) used by this node only
GridNode spawn_grid_node(caf::actor_system& system, GridJoiner joiner, GridNodeOptions options);

} // namespace troupe
