// Determines the process of a cluster that a node is, from its command line or its environment.
#pragma once

#include "apps/cluster/evaluation_node.hpp"
#include "messages/cluster/cluster_spec.hpp"

#include <string>

namespace troupe {

struct NodeCommand {
  TrainCommand train; ///< configuration files and overrides
  std::string role;   ///< ps, worker, master or evaluator; "": from the environment
  int index = 0;
  std::string ps;                ///< host:port of each parameter holder, separated by commas
  bool master = false;           ///< the cluster has a master besides the workers; it also trains
  std::string workers;           ///< host:port of each worker, or the number of workers
  bool cluster_required = false; ///< without a role: fail if the environment names no cluster
  std::string certs;             ///< folder of certificates
  std::string name;              ///< name of this node's certificate; "": <role>-<index>
  bool insecure = false;
  std::string folder;        ///< for this node's files; "": a new run folder, or none for a ps
  bool keep_running = false; ///< ps: keeps running when all workers have left
  int save_every = 30;       ///< ps: seconds between two saves into its folder; 0: only at the end
  double pushes_per_second = 0; ///< ps: limit for the pushes of all workers together; 0: no limit
  std::string port_file;        ///< ps: the port is written to this file once it listens
  double join_deadline = 60;    ///< seconds to wait for the holder
  bool last_worker_evaluates
    = false;                    ///< with a cluster from the environment; every process needs it
  EvaluationOptions evaluation; ///< evaluator
};

/// Checks everything before any connection. Port 0, any free port, is for a parameter holder only.
/// @throws ConfigError for an invalid place, with the value and the cure.
ClusterSpec place_in_cluster(const NodeCommand& command);

/// The addresses of the parameter holders. @throws ConfigError if they are not given.
std::vector<Endpoint> holder_endpoints(const ClusterSpec& spec);

/// The address at which this holder listens: its own entry of the list.
Endpoint own_endpoint(const ClusterSpec& spec);

} // namespace troupe
