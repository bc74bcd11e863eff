// Where nodes come for the trials of a grid. Protocol: messages/grid/grid_nodes.hpp.
#pragma once

#include "messages/grid/grid_members.hpp"

#include <functional>
#include <string>

namespace troupe {

struct GridCoordinatorOptions {
  GridMembersOptions members;
  FolderManager folders; ///< ends with the host
  /// What a node has to know of a trial; its `folder` is the run's name below the grid's folder.
  /// May throw where the trial's configuration cannot be.
  std::function<LeasedTrial(const RunTrial& trial)> order;
  /// Tells people who comes and who is lost; called by the actor, hence brief. May be null.
  std::function<void(const std::string& line)> tell;
};

/// Spawns the host: a runner of as many trials at once as its nodes have offered. It ends when it
/// is told to, since it and its supervisor hold each other.
GridCoordinator spawn_grid_coordinator(caf::actor_system& system, GridCoordinatorOptions options);

} // namespace troupe
