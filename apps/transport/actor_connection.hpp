// Connections between actor systems: CAF's messages over sockets of ours.
#pragma once

#include "apps/transport/listener.hpp"

#include <caf/expected.hpp>
#include <caf/io/scribe.hpp>

#include <set>
#include <string>

namespace troupe {

/// For CAF's broker, which owns it then. The peer is admitted once it has introduced itself.
caf::io::scribe_ptr actor_connection(caf::actor_system& system, AcceptedConnection connection);

/// CAF's broker of messages between nodes.
caf::actor node_broker(caf::actor_system& system);

/// What a published actor's process says of it.
struct RemoteActor {
  caf::strong_actor_ptr actor;
  std::set<std::string> signatures;
};

/// Connects, shakes hands and asks for the published actor, in the calling thread.
/// @returns Error::unavailable with the reason where no connection can be made, else an error of
/// CAF's.
caf::expected<RemoteActor> connect_actor(caf::actor_system& system, const Endpoint& endpoint,
                                         const Trust& trust, caf::timespan deadline,
                                         const Cancelled& cancelled = {});

} // namespace troupe
