// How a process reaches the parameter holders of other processes.
//
//   remote holder                connector                      holders on other nodes
//     | ---- ConnectShard ---------> |                                  |
//     |                              | ---- a connection -------------> |
//     | <--- ShardRoute ------------ |                                  |
//     | ---- Join, Renew, Leave ---------- control -------------------> |   small messages
//     | ---- CreateIfAbsent, Exchange ----- bulk ---------------------> |   blocks of floats
//
// The two ways are apart, so that a renewal is not stuck behind 100 MB of parameters.
#pragma once

#include "messages/parameters/parameters.hpp"

namespace troupe {

/// What carries blocks. A ParameterHolder is one itself.
using BlockHolder = caf::typed_actor<
  caf::replies_to<CreateIfAbsent>::with<Parameters>, caf::replies_to<Pull>::with<Parameters>,
  caf::replies_to<Await>::with<Parameters>, caf::replies_to<Exchange>::with<Parameters>>;

/// Asks for a way to shard number `shard`, after an earlier one was lost, too.
struct ConnectShard {
  std::uint64_t shard = 0;
  FIELDS(shard);
};

struct ShardRoute {
  std::string address; ///< for people
  ParameterHolder control;
  BlockHolder bulk;
  FIELDS(address, control, bulk);
};

/// The route that was given last is not used any more: whoever waits on it is to be let go.
struct DropShard {
  std::uint64_t shard = 0;
  FIELDS(shard);
};

/// Answers with a route, or with an error after a time of its own, at most some seconds:
/// Error::invalid_options where the holder does not let the worker in.
using Connector
  = caf::typed_actor<caf::replies_to<ConnectShard>::with<ShardRoute>, caf::reacts_to<DropShard>>;

/// A trainer that a remote holder tells what it hears from the cluster: who is main, and that all
/// shall end.
struct Watch {
  Trainer trainer;
  FIELDS(trainer);
};

/// The remote holder to itself: a look at what is under way.
struct CheckShards {
  FIELDS();
};

/// A ParameterHolder whose parameters are kept on other nodes.
using RemoteHolder = ParameterHolder::extend<caf::reacts_to<Watch>>;

} // namespace troupe
