#pragma once

#include "troupe/apps/bulk_socket.hpp"
#include "troupe/messages/parameters.hpp"

#include <caf/actor_system.hpp>

#include <chrono>
#include <list>
#include <mutex>
#include <thread>

namespace troupe {

/// Where a holder's node takes blocks: listens, and serves each connection on a thread of its own,
/// by the holder's answers. Within the machine, blocks are read where they lie. Peers without a
/// certificate or the cluster's secret are not heard.
class BulkDoor {
public:
  /// Listens on any free port of `host`, and tells the holder.
  /// @throws IoError where it cannot.
  BulkDoor(caf::actor_system& system, ParameterHolder holder, const std::string& host,
           const Trust& trust, std::string cluster);
  ~BulkDoor(); ///< ends all connections; the holder should have ended before
  BulkDoor(const BulkDoor&) = delete;
  BulkDoor& operator=(const BulkDoor&) = delete;

  std::uint16_t port() const { return port_; }

private:
  struct Connection {
    std::thread thread;
    std::shared_ptr<BulkSocket> socket; ///< null until it is trusted
    int untrusted = -1; ///< until then the door's own descriptor of it, by which it can end it
    std::chrono::steady_clock::time_point trusted_by = {};
    bool over = false;
  };

  void listen(const std::string& host);
  void accept_all();
  void accept_one(int listener, bool local);
  void serve(int descriptor, bool local, Connection& connection);
  void join_ended();
  int milliseconds_to_next_end() const; ///< of a connection that is not trusted; -1: there is none
  void end_untrusted(std::chrono::steady_clock::time_point now);

  caf::actor_system& system_;
  ParameterHolder holder_;
  Trust trust_;
  std::string cluster_;
  int listener_ = -1, local_listener_ = -1;
  std::uint16_t port_ = 0;
  std::mutex mutex_; ///< of the connections
  std::list<Connection> connections_;
  bool ending_ = false;
  std::thread acceptor_;
};

} // namespace troupe
