#pragma once

#include "apps/transport/listener.hpp"
#include "messages/cluster/cluster_spec.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>

#include <optional>
#include <set>
#include <string>

namespace troupe {

/// Makes an actor reachable for other processes, by mutual TLS or plainly on loopback, while it
/// lives. Destroy it before the actor system.
class PublishedActor {
public:
  /// @param endpoint port 0: any free one
  /// @param who in messages: "the parameter holder"
  /// @throws IoError if it cannot listen there.
  template <class Handle>
  PublishedActor(const Handle& actor, const Endpoint& endpoint, const Trust& trust,
                 const std::string& who)
    : PublishedActor(actor.home_system(), caf::actor_cast<caf::strong_actor_ptr>(actor),
                     actor.home_system().message_types(actor), endpoint, trust, who) {}

  std::uint16_t port() const { return port_; }

private:
  PublishedActor(caf::actor_system& system, const caf::strong_actor_ptr& actor,
                 const std::set<std::string>& signatures, const Endpoint& endpoint,
                 const Trust& trust, const std::string& who);

  std::uint16_t port_ = 0;
  std::optional<Listener> listener_;
};

} // namespace troupe
