// How an actor of another process is reached: by mutual TLS, or plainly on loopback.
#pragma once

#include "troupe/apps/exit_codes.hpp"
#include "troupe/apps/node_system.hpp"
#include "troupe/messages/error.hpp"

#include <caf/io/middleman.hpp>
#include <caf/openssl/publish.hpp>
#include <caf/openssl/remote_actor.hpp>

namespace troupe {

/// Lets peers reach the actor; port 0 takes any free one.
/// @param who for people: "the parameter holder"
/// @returns the port. @throws IoError where it cannot be bound.
template <class Handle>
std::uint16_t publish_actor(const Handle& actor, const Endpoint& endpoint, const Trust& trust,
                            const std::string& who) {
  const auto* host = endpoint.host.c_str();
  const auto bound = trust.identity
                       ? caf::openssl::publish(actor, endpoint.port, host, true)
                       : actor.home_system().middleman().publish(actor, endpoint.port, host, true);
  if (!bound)
    throw IoError(who + " cannot listen on " + to_string(endpoint) + ": " + sentence(bound.error())
                  + "; is the port taken, or the address another machine's?");
  return *bound;
}

/// Connects to an actor, once. It blocks.
template <class Handle>
caf::expected<Handle> reach_actor(caf::actor_system& system, const Endpoint& endpoint,
                                  const Trust& trust) {
  return trust.identity ? caf::openssl::remote_actor<Handle>(system, endpoint.host, endpoint.port)
                        : system.middleman().remote_actor<Handle>(endpoint.host, endpoint.port);
}

} // namespace troupe
