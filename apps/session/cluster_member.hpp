// A worker's membership in a cluster, and whether a folder is its own.
#pragma once

#include "apps/process/interrupts.hpp"
#include "apps/transport/trust.hpp"
#include "messages/cluster/cluster_spec.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// A worker's membership in a cluster.
struct ClusterMember {
  Trust trust;
  std::vector<Endpoint> holders; ///< addresses of the parameter holders, by shard
  bool hosts_holder = false;  ///< this process has the only holder, and waits for the other members
  std::string cluster;        ///< the cluster's token; "": none
  WorkerId worker = 0;        ///< number of this worker; a reader's is the number of workers
  bool is_reader = false;     ///< it only reads the parameters
  WorkerId workers = 1;       ///< number of workers in the cluster
  double join_deadline = 60;  ///< seconds to wait for the holder
  std::string folder;         ///< for this worker's files; "": a new run folder
  bool folder_of_job = false; ///< the job names `folder`: a restarted job has it, too
  bool restarted = false;     ///< its job was requeued: resume from the saved state
  bool launched = false;      ///< by a launcher, which says how to continue
  std::optional<Interrupts::Moment> drain_at; ///< shortly before the end of the job's time
};

/// A worker's state can only be continued by the same worker: it has trained on its share of the
/// data, and the parameters belong to the holders. The only worker of a cluster counts as a run
/// alone.
/// @param member the process that would continue; null: it trains alone
/// @throws ConfigError with the command that continues it.
void check_claim(const std::filesystem::path& folder, const ClusterMember* member);

/// Tells people how to continue an interrupted process; "" if its launcher tells them.
std::string resume_hint(const std::filesystem::path& folder, const ClusterMember* member);

} // namespace troupe
