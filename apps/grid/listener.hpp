// The grid's listener to its nodes, and how nodes find it.
#pragma once

#include "apps/transport/node_system.hpp"
#include "messages/admission/entry_point.hpp"
#include "messages/grid/grid_nodes.hpp"

#include <functional>
#include <string>

namespace troupe {

/// How processes of a grid trust each other, from the command line.
struct GridTrust {
  std::string certs; ///< folder of certificates
  std::string name;  ///< of this process's certificate
  bool insecure = false;
};

/// @param host of the grid's address
/// @throws ConfigError as check_trust
Trust trust_of(const GridTrust& given, const std::string& host);

/// CAF with its middleman and the messages of grids.
class GridSystemConfig : public NodeSystemConfig {
public:
  explicit GridSystemConfig(std::size_t threads);
};

/// What of the host of a grid is published for nodes that have the cluster's token.
/// @param token "": whoever has a certificate @param tell hears what is refused; called by any
/// thread
EntryPoint grid_entry_point(const GridCoordinator& host, const std::string& token,
                            std::function<void(const std::string& line)> tell);

/// Spawns what connects a node to a grid, on a thread of its own, since connecting blocks. A try
/// takes at most some seconds.
GridConnector spawn_grid_connector(caf::actor_system& system, const Endpoint& endpoint,
                                   const Trust& trust, const std::string& token);

} // namespace troupe
