// Connections to parameter holders through a network that exists in numbers only. Protocol:
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

/// A message on its way.
struct Passage {
  double sent = 0;               ///< seconds
  std::optional<double> arrives; ///< nothing: an outage swallows it
  std::size_t from = 0, to = 0;  ///< nodes of the network
  std::string message;           ///< its type; an answer's is that of the question, with "answer "
  std::size_t bytes = 0;
};

struct SimulatedConnectorOptions {
  /// Of the whole cluster; for actors of one thread.
  std::shared_ptr<SimulatedNetwork> network;
  std::size_t node = 0;                     ///< of the worker
  std::vector<ParameterHolder> holders;     ///< by shard
  std::size_t first_holder = 0;             ///< node of shard 0; the others' follow
  WireOptions wire;                         ///< of what is pushed, as on a real connection
  std::function<void(const Passage&)> note; ///< hears of each message; may be empty
};

/// Spawns what stands for a process's connections. A way ends with an outage, and there is no new
/// one before it is over; what was on it is lost. All ways end with the connector.
Connector spawn_simulated_connector(caf::actor_system& system, SimulatedConnectorOptions options);

} // namespace troupe
