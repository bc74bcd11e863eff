// troupe node: one process of a cluster: a parameter holder, a worker or the evaluator.
#pragma once

#include "apps/cluster/node_place.hpp"
#include "apps/commands/train.hpp"

namespace troupe {

/// The cluster member that a training or evaluating node is.
/// @throws ConfigError for invalid certificates or an invalid configuration.
ClusterMember member_of(const NodeCommand& command, const ClusterSpec& spec);

/// @returns the exit code of the program. @throws Failure if the node cannot start.
int node(const NodeCommand& command);

} // namespace troupe
