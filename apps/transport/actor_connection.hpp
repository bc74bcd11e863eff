// Connections between actor systems: CAF's messages over sockets that Troupe opens.
#pragma once

#include "apps/transport/listener.hpp"
#include "apps/transport/tcp_connection.hpp"
#include "messages/cluster/cluster_spec.hpp"

#include <caf/expected.hpp>
#include <caf/io/scribe.hpp>

#include <set>
#include <string>

namespace troupe {

/// A connection for CAF's broker, which owns it then. The peer is admitted once it has introduced
/// itself.
caf::io::scribe_ptr actor_connection(caf::actor_system& system, AcceptedConnection connection);

/// CAF's broker of messages between nodes.
caf::actor node_broker(caf::actor_system& system);

/// A published actor and its interface, as its process reports them.
struct RemoteActor {
  caf::strong_actor_ptr actor;
  std::set<std::string> signatures;
};

/// Connects, does the TLS handshake and asks for the published actor, on the calling thread.
/// @returns Error::unavailable with the reason if no connection can be made, else an error of CAF.
caf::expected<RemoteActor> connect_actor(caf::actor_system& system, const Endpoint& endpoint,
                                         const Trust& trust, caf::timespan deadline,
                                         const Cancelled& cancelled = {});

} // namespace troupe
