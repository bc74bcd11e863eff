#pragma once

#include "messages/grid/grid_nodes.hpp"
#include "messages/grid/leased_folders.hpp"

#include <functional>
#include <string>

namespace troupe {

struct FolderManagerOptions {
  LeasedFolders folders;
  /// Prints what cannot be copied for now; called by the actor, so it must be fast. May
  /// be null.
  std::function<void(const std::string& line)> notify;
};

/// Spawns the actor that moves folders of runs to nodes and back, on a thread of its own, so that
/// no lease ends because a disk is slow. It ends with its coordinator.
FolderManager spawn_folder_manager(caf::actor_system& system, FolderManagerOptions options);

/// The same without a thread, for tests in virtual time.
FolderManager spawn_scheduled_folder_manager(caf::actor_system& system,
                                             FolderManagerOptions options);

} // namespace troupe
