// Finds out from the environment which process of which cluster this is.
//
//   source      read if              this process                       the parameter holder is
//   TF_CONFIG   it is set            task.type, task.index              at cluster.ps
//   JOB_NAME    it is set            JOB_NAME, TASK_INDEX               at PS_HOSTS
//   torchrun    RANK, WORLD_SIZE     worker RANK of WORLD_SIZE          with rank 0, at
//                                                                       MASTER_ADDR:MASTER_PORT
//   mpiexec     PMI_RANK, PMI_SIZE;  worker of that rank                as torchrun, else as Slurm
//               OMPI_COMM_WORLD_...
//   Slurm       SLURM_PROCID,        worker SLURM_PROCID                with rank 0, on the first
//               SLURM_NTASKS                                            node of the list
//
// The first that applies wins. An empty variable counts as not set. mpiexec comes before Slurm
// since ranks that mpiexec starts inside a job inherit the numbers of its one Slurm task.
#pragma once

#include "messages/cluster/cluster_spec.hpp"

#include <map>
#include <optional>
#include <string>

namespace troupe {

/// What the user configured about the cluster, beyond the environment.
struct ClusterDefaults {
  bool required = false; ///< no cluster in the environment is an error
  /// Port of the holder in rank 0, 1 to 65535, instead of the one that the launcher implies.
  std::optional<int> port{};
  std::map<std::string, std::string> addresses{}; ///< addresses of Slurm nodes whose names do not
                                                  ///< resolve
};

/// Reads the variables; opens and resolves nothing. The result has passed `check` and names its
/// source.
///
///   TF_CONFIG   {"cluster": {"chief": ["a:1"], "ps": ["b:1"], "worker": ["c:1", "d:1"]},
///                "task": {"type": "worker", "index": 1, "trial": "7"}}
///               "master" is an alias of "chief"; a list may be text with commas. Without task:
///               master 0. Without cluster and role: a spec without a cluster.
///   JOB_NAME    with TASK_INDEX, and PS_HOSTS, WORKER_HOSTS, MASTER_HOST as text with commas.
///   torchrun    also reads LOCAL_RANK. If TORCHELASTIC_USE_AGENT_STORE is True, torchrun itself
///               listens on MASTER_PORT, so the holder takes the next port.
///   Slurm       port 20000 + SLURM_JOB_ID % 20000.
///
/// One rank alone is no cluster: no process connects, so no port is needed.
///
/// @returns nothing if no source applies.
/// @throws std::invalid_argument naming the variable or key, what is wrong with it, and the cure;
///         also if no source applies but one is required.
std::optional<ClusterSpec>
cluster_from_environment(const std::map<std::string, std::string>& variables,
                         const ClusterDefaults& defaults = {});

} // namespace troupe
