// Determines the process of a cluster that a node is, from its command line or its environment.
#pragma once

#include "apps/commands/node.hpp"
#include "messages/cluster/cluster_spec.hpp"

namespace troupe {

/// Checks everything before any connection. Port 0, any free port, is for a parameter holder only.
/// @throws ConfigError for an invalid place, with the value and the cure.
ClusterSpec place_in_cluster(const NodeCommand& command);

/// The addresses of the parameter holders. @throws ConfigError if they are not given.
std::vector<Endpoint> holder_endpoints(const ClusterSpec& spec);

/// The address at which this holder listens: its own entry of the list.
Endpoint own_endpoint(const ClusterSpec& spec);

} // namespace troupe
