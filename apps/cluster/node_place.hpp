// Which process of which cluster a node is, as its command line or else its environment says.
#pragma once

#include "apps/commands/node.hpp"
#include "messages/cluster/cluster_spec.hpp"

namespace troupe {

/// Looks at all of it before anybody connects; port 0, any free one, is for a parameter holder.
/// @throws ConfigError for a place that cannot be, naming the value and its cure.
ClusterSpec place_in_cluster(const NodeCommand& command);

/// Where the parameter holders are. @throws ConfigError where nobody says.
std::vector<Endpoint> holder_endpoints(const ClusterSpec& spec);

/// Where this holder listens: its own entry of the list.
Endpoint own_endpoint(const ClusterSpec& spec);

} // namespace troupe
