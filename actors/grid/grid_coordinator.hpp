// Serves the trials of a grid to nodes. Protocol: messages/grid/grid_nodes.hpp.
#pragma once

#include "messages/grid/grid_members.hpp"

#include <functional>
#include <string>

namespace troupe {

struct GridCoordinatorOptions {
  GridMembersOptions members;
  FolderManager folders; ///< ends with the coordinator
  /// All that a node needs to run a trial; its `folder` is the run's name relative to the grid's
  /// folder. May throw if the trial's configuration is invalid.
  std::function<LeasedTrial(const RunTrial& trial)> prepare;
  /// Prints nodes that join and are lost; called by the actor, so it must be fast. May
  /// be null.
  std::function<void(const std::string& line)> notify;
};

/// Spawns the coordinator: a runner of as many concurrent trials as its nodes offer. It has to be
/// ended, since it and its supervisor hold each other.
GridCoordinator spawn_grid_coordinator(caf::actor_system& system, GridCoordinatorOptions options);

} // namespace troupe
