#include "apps/transport/published_actor.hpp"

#include "apps/transport/actor_connection.hpp"
#include "apps/transport/tcp_connection.hpp"
#include "base/failure.hpp"

#include <caf/send.hpp>

namespace troupe {

PublishedActor::PublishedActor(caf::actor_system& system, const caf::strong_actor_ptr& actor,
                               const std::set<std::string>& signatures, const Endpoint& endpoint,
                               const Trust& trust, const std::string& who) {
  std::vector<Listener::Socket> sockets(1);
  try {
    sockets.front().descriptor = Descriptor{listen_tcp(endpoint)};
  } catch (const IoError& e) {
    throw IoError(who + " cannot listen on " + to_string(endpoint) + ": " + e.what()
                  + "; is the port taken, or the address another machine's?");
  }
  sockets.front().trust = trust;
  port_ = local_port_of(sockets.front().descriptor.get());
  // This message gives the connection to the broker, which tells the peer which actor is published
  // under the port.
  const auto take = [&system, broker = node_broker(system), actor, signatures,
                     port = port_](AcceptedConnection connection) {
    caf::anon_send(broker, caf::publish_atom::value,
                   actor_connection(system, std::move(connection)), port, actor, signatures);
  };
  listener_.emplace(who, std::move(sockets), take);
}

} // namespace troupe
