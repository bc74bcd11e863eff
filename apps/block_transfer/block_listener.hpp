#pragma once

#include "apps/block_transfer/block_socket.hpp"
#include "messages/parameters/parameters.hpp"

#include <caf/actor_system.hpp>

#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace troupe {

/// Where a holder's node receives blocks: it listens, serves each connection on its own thread, and
/// answers with the holder's answers. Within the machine, blocks are read in place. Peers without a
/// certificate or the cluster's secret are refused.
class BlockListener {
public:
  /// Listens on any free port of `host`, and tells the holder.
  /// @throws IoError if it cannot.
  BlockListener(caf::actor_system& system, ParameterHolder holder, const std::string& host,
                const Trust& trust, std::string cluster);
  ~BlockListener(); ///< ends all connections; the holder should have ended before
  BlockListener(const BlockListener&) = delete;
  BlockListener& operator=(const BlockListener&) = delete;

  std::uint16_t port() const { return port_; }

private:
  struct Connection {
    std::shared_ptr<BlockSocket> socket; ///< null once it has ended
    std::thread thread;
    bool over = false;
  };

  std::vector<Listener::Socket> sockets(const std::string& host, const Trust& trust);
  void take(AcceptedConnection accepted);
  void serve(BlockSocket& socket);
  void join_ended();

  caf::actor_system& system_;
  ParameterHolder holder_;
  std::string cluster_;
  std::uint16_t port_ = 0;
  std::string local_name_;
  std::mutex mutex_; ///< guards the connections
  std::list<Connection> connections_;
  bool ending_ = false;
  std::optional<Listener> listener_;
};

} // namespace troupe
