#pragma once

#include "messages/grid/grid_nodes.hpp"
#include "messages/grid/lent_folders.hpp"

#include <functional>
#include <string>

namespace troupe {

struct FolderKeeperOptions {
  LentFolders folders;
  /// Tells people what cannot be copied for now; called by the actor, hence brief. May be null.
  std::function<void(const std::string& line)> tell;
};

/// Spawns the actor that moves folders of runs to nodes and back, on a thread of its own: no lease
/// ends because a disk is slow. It ends with the host that it is for.
FolderKeeper spawn_folder_keeper(caf::actor_system& system, FolderKeeperOptions options);

/// The same without a thread, for tests in virtual time.
FolderKeeper spawn_scheduled_folder_keeper(caf::actor_system& system, FolderKeeperOptions options);

} // namespace troupe
