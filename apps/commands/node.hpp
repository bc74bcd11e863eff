// troupe node: one process of a cluster, as a parameter holder, a worker or the evaluator.
#pragma once

#include "apps/cluster/evaluation_node.hpp"
#include "messages/cluster/cluster_spec.hpp"

#include <string>
#include <vector>

namespace troupe {

struct NodeCommand {
  TrainCommand train; ///< configuration and changes
  std::string role;   ///< ps, worker, master or evaluator; "": from the environment
  int index = 0;
  std::string ps;      ///< host:port of each parameter holder, separated by commas
  bool master = false; ///< there is a master besides the workers, which trains, too
  std::string workers; ///< host:port of each worker, or how many there are
  bool cluster_required
    = false;         ///< without a role: an environment that names no cluster is refused
  std::string certs; ///< folder of certificates
  std::string name;  ///< of this node's certificate; "": <role>-<index>
  bool insecure = false;
  std::string folder;      ///< for this node's files; "": a new run folder, and for a ps: none
  bool until_told = false; ///< ps: goes on when all workers have left
  int save_every = 30;     ///< ps: seconds between two saves into its folder; 0: only at the end
  double pushes_per_second
    = 0;                     ///< ps: asks workers to push no more often, all together; 0: no limit
  std::string port_file;     ///< ps: written with the port once it listens
  double join_deadline = 60; ///< seconds to wait for the holder
  bool last_worker_evaluates = false; ///< from the environment: every process has to be told
  EvaluationOptions evaluation;       ///< evaluator
};

/// Who a node that trains or evaluates is for the cluster's holders.
/// @throws ConfigError for certificates or a configuration that it cannot have.
ClusterMember member_of(const NodeCommand& command, const ClusterSpec& spec);

/// @returns the exit code of the program. @throws Failure for what cannot begin.
int node(const NodeCommand& command);

} // namespace troupe
