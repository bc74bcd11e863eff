// The membership of a folder in a cluster: the files of which worker it holds, or of how many.
#pragma once

#include "base/types.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace troupe {

/// The content of a folder's cluster.json.
struct ClusterFolder {
  std::optional<WorkerId> worker{}; ///< nothing: the folder of a launched run
  WorkerId workers = 1;             ///< in the cluster
  int holders = 1;                  ///< of a launched run: the number of shards of its parameters
};

/// The folder of a worker of a launched run.
std::filesystem::path folder_of_worker(const std::filesystem::path& run, WorkerId worker);

/// Writes cluster.json. @throws IoError
void claim(const std::filesystem::path& folder, const ClusterFolder& claim);

/// Nothing if no cluster has trained in the folder.
std::optional<ClusterFolder> claim_of(const std::filesystem::path& folder);

/// Whether it is the folder of a launched run, which contains its workers' folders.
bool is_launched(const std::filesystem::path& folder);

} // namespace troupe
