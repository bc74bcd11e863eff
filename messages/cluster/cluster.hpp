// How a process reaches the parameter holders of other processes.
//
//   remote holder                connector                      holders on other nodes
//     | ---- ConnectShard ---------> |                                  |
//     |                              | ---- connection ---------------> |
//     | <--- ShardRoute ------------ |                                  |
//     | ---- Join, Renew, Leave ---------- control -------------------> |   small messages
//     | ---- CreateIfAbsent, Exchange ----- blocks -------------------> |   blocks of floats
//
// There are two connections, so that a renewal does not wait behind 100 MB of parameters.
#pragma once

#include "messages/parameters/parameters.hpp"

namespace troupe {

/// Carries blocks of parameters. A ParameterHolder is one itself.
using BlockHolder = caf::typed_actor<
  caf::replies_to<CreateIfAbsent>::with<Parameters>, caf::replies_to<Pull>::with<Parameters>,
  caf::replies_to<Await>::with<Parameters>, caf::replies_to<Exchange>::with<Parameters>>;

/// Asks for a route to shard number `shard`, also after an earlier one was lost.
struct ConnectShard {
  std::uint64_t shard = 0; ///< from 0
  TROUPE_FIELDS(shard);
};

/// How to reach the holder of a shard.
struct ShardRoute {
  std::string address;     ///< to be shown
  ParameterHolder control; ///< for small messages
  BlockHolder blocks;      ///< for blocks of parameters
  TROUPE_FIELDS(address, control, blocks);
};

/// The last route is no longer used: pending requests on it are to be released.
struct DropShard {
  std::uint64_t shard = 0; ///< from 0
  TROUPE_FIELDS(shard);
};

/// Answers with a route, or with an error after a few seconds at most: Error::invalid_options if
/// the holder refuses the worker.
using Connector
  = caf::typed_actor<caf::replies_to<ConnectShard>::with<ShardRoute>, caf::reacts_to<DropShard>>;

/// A trainer that a remote holder informs about the cluster: which worker is main, and that all
/// workers are to end.
struct Watch {
  Trainer trainer; ///< of this process
  TROUPE_FIELDS(trainer);
};

/// A timer of the remote holder: poll the requests in flight and their deadlines.
struct CheckShards {
  TROUPE_FIELDS();
};

/// A ParameterHolder whose parameters live on other nodes.
using RemoteHolder = ParameterHolder::extend<caf::reacts_to<Watch>>;

} // namespace troupe
