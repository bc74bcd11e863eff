// Connections to parameter holders through a simulated network. Protocol:
// messages/cluster/cluster.hpp.
#pragma once

#include "messages/cluster/cluster.hpp"
#include "messages/cluster/simulated_network.hpp"
#include "model/codecs/wire_format.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

class BlockPark;

/// A message in transit.
struct Transit {
  double sent = 0;               ///< seconds
  std::optional<double> arrives; ///< nothing: an outage drops it
  std::size_t from = 0, to = 0;  ///< nodes of the network
  std::string message;           ///< its type; an answer's is that of the request, with "answer "
                                 ///< in front
  std::size_t bytes = 0;         ///< on the wire
};

/// Which network connects which holders.
struct SimulatedConnectorOptions {
  /// Of the whole cluster; for actors of one thread.
  std::shared_ptr<SimulatedNetwork> network;
  std::size_t node = 0;                     ///< of the worker
  std::vector<ParameterHolder> holders;     ///< by shard
  std::size_t first_holder = 0;             ///< node of shard 0; the other shards follow
  WireOptions wire;                         ///< for pushes, as on a real connection
  std::function<void(const Transit&)> note; ///< called for each message; may be empty
  std::shared_ptr<BlockPark> park;          ///< of blocks in transit to the worker; null: none
};

/// Spawns the simulated connections of a process. A connection ends with an outage, and can only be
/// opened again after it; messages in transit are lost. All connections end with the connector.
Connector spawn_simulated_connector(caf::actor_system& system, SimulatedConnectorOptions options);

} // namespace troupe
