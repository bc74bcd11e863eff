// The entry point of a grid for its nodes, and the connection of nodes to it.
#pragma once

#include "apps/transport/node_system.hpp"
#include "apps/transport/trust.hpp"
#include "messages/access/entry_point.hpp"
#include "messages/cluster/cluster_spec.hpp"
#include "messages/grid/grid_nodes.hpp"

#include <functional>
#include <string>

namespace troupe {

/// The options for the trust between processes of a grid.
struct GridTrust {
  std::string certs; ///< folder of certificates
  std::string name;  ///< name of this process's certificate
  bool insecure = false;
};

/// @param host of the grid's address
/// @throws ConfigError as check_trust
Trust trust_of(const GridTrust& given, const std::string& host);

/// CAF's configuration with the middleman and the messages of grids.
class GridSystemConfig : public NodeSystemConfig {
public:
  explicit GridSystemConfig(std::size_t threads);
};

/// The published entry point of a grid's coordinator, for nodes with the cluster's token.
/// @param token "": any node with a certificate @param notify receives lines about refused
/// messages; called from any thread
EntryPoint grid_entry_point(const GridCoordinator& host, const std::string& token,
                            std::function<void(const std::string& line)> notify);

/// Spawns the actor that connects a node to a grid, in its own thread, since connecting blocks. An
/// attempt takes a few seconds at most.
GridConnector spawn_grid_connector(caf::actor_system& system, const Endpoint& endpoint,
                                   const Trust& trust, const std::string& token);

} // namespace troupe
