// What a folder says of the cluster that trains in it: of which worker it is, or of how many.
#pragma once

#include "apps/cluster/cluster_member.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace troupe {

/// Whose files a folder holds, as its cluster.json says.
struct ClusterFolder {
  std::optional<WorkerId> worker{}; ///< nothing: it is the folder of a launched run
  WorkerId workers = 1;             ///< in the cluster
  int holders = 1;                  ///< of a launched run: that its parameters are cut over
};

/// Where a worker of a launched run has its files.
std::filesystem::path folder_of_worker(const std::filesystem::path& run, WorkerId worker);

/// Writes cluster.json. @throws FileError
void claim(const std::filesystem::path& folder, const ClusterFolder& claim);

/// Nothing where no cluster has trained in the folder.
std::optional<ClusterFolder> claim_of(const std::filesystem::path& folder);

/// Whether it is the folder of a launched run, whose workers have theirs in it.
bool is_launched(const std::filesystem::path& folder);

/// A worker's state goes on as that worker alone: it has trained on its share of the data, and the
/// parameters are the holders'. One of one is as good as a run alone.
/// @param member of the process that would go on; null: it trains alone
/// @throws ConfigError with the command that goes on.
void check_claim(const std::filesystem::path& folder, const ClusterMember* member);

/// What people do to go on with a process that was interrupted; "" where its launcher says it.
std::string how_to_go_on(const std::filesystem::path& folder, const ClusterMember* member);

} // namespace troupe
