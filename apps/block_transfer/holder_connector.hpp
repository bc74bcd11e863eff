#pragma once

#include "apps/block_transfer/block_channel.hpp"
#include "apps/transport/trust.hpp"

namespace troupe {

struct HolderConnectorOptions {
  std::vector<Endpoint> holders; ///< by shard
  Trust trust;
  std::string cluster;
  BlockChannelOptions channel;
  bool network = false; ///< blocks cross the network even within one machine
};

/// Distinguishes this process from others with the same worker number (Join::process).
std::uint64_t random_process();

/// Spawns the connector of one worker on its own thread, since connecting blocks. An attempt takes
/// some seconds at most.
Connector spawn_holder_connector(caf::actor_system& system, HolderConnectorOptions options);

} // namespace troupe
