// Where nodes come for the trials of a grid. Protocol: messages/grid/grid_nodes.hpp.
#pragma once

#include "messages/grid/grid_roster.hpp"

#include <functional>
#include <string>

namespace troupe {

struct GridHostOptions {
  GridRosterOptions roster;
  FolderKeeper folders; ///< ends with the host
  /// What a node has to know of a trial; its `folder` is the run's name below the grid's folder.
  /// May throw where the trial's configuration cannot be.
  std::function<LentTrial(const RunTrial& trial)> order;
  /// Tells people who comes and who is lost; called by the actor, hence brief. May be null.
  std::function<void(const std::string& line)> tell;
};

/// Spawns the host: a runner of as many trials at once as its nodes have offered. It ends when it
/// is told to, since it and its supervisor hold each other.
GridHost spawn_grid_host(caf::actor_system& system, GridHostOptions options);

} // namespace troupe
