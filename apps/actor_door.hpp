// How an actor of another process is reached: by mutual TLS, or plainly on loopback.
#pragma once

#include "troupe/apps/exit_codes.hpp"
#include "troupe/apps/node_system.hpp"
#include "troupe/messages/error.hpp"

#include <caf/actor_cast.hpp>
#include <caf/io/middleman.hpp>
#include <caf/openssl/manager.hpp>
#include <caf/openssl/publish.hpp>
#include <caf/scoped_actor.hpp>

#include <algorithm>
#include <chrono>
#include <set>
#include <thread>

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

/// Seconds for a connection to be made, in which a packet that was lost is sent again.
constexpr double connection_deadline = 3;

/// Connects to an actor whose machine is known to answer. Where it does not, the system tries for
/// two minutes, in which CAF makes no other connection and does not end either.
template <class Handle>
caf::expected<Handle> shake_hands(caf::actor_system& system, const Endpoint& endpoint,
                                  const Trust& trust, caf::timespan deadline) {
  const auto broker
    = trust.identity ? system.openssl_manager().actor_handle() : system.middleman().actor_handle();
  caf::scoped_actor self{system};
  caf::expected<Handle> reached{caf::error{}};
  self->request(broker, deadline, caf::connect_atom::value, endpoint.host, endpoint.port)
    .receive(
      [&](const caf::node_id&, const caf::strong_actor_ptr& actor,
          const std::set<std::string>& signatures) {
        if (actor && system.assignable(signatures, system.message_types<Handle>()))
          reached = caf::actor_cast<Handle>(actor);
        else
          reached = caf::make_error(caf::sec::unexpected_actor_messaging_interface);
      },
      [&](caf::error& error) { reached = std::move(error); });
  return reached;
}

/// Connects to an actor, once: it takes some seconds at most, and less where nobody waits any more.
template <class Handle>
caf::expected<Handle> reach_actor(caf::actor_system& system, const Endpoint& endpoint,
                                  const Trust& trust, const NobodyWaits& nobody_waits = {}) {
  constexpr auto handshake_deadline = std::chrono::seconds{5};
  if (auto error = try_connection(endpoint, connection_deadline, nobody_waits))
    return error;
  return shake_hands<Handle>(system, endpoint, trust, handshake_deadline);
}

/// The same with a deadline. And again: CAF cuts a connection whose handshake meets its first
/// heartbeat, however healthy the peer.
template <class Handle>
caf::expected<Handle> reach_within(caf::actor_system& system, const Endpoint& endpoint,
                                   const Trust& trust, caf::timespan deadline) {
  constexpr auto pause = std::chrono::milliseconds{200};
  const auto until = std::chrono::steady_clock::now() + deadline;
  const auto seconds = std::chrono::duration<double>(deadline).count();
  if (auto error = try_connection(endpoint, std::min(seconds, connection_deadline), {}))
    return error;
  for (;;) {
    const auto left = until - std::chrono::steady_clock::now();
    auto reached = shake_hands<Handle>(system, endpoint, trust,
                                       std::max<caf::timespan>(left, std::chrono::milliseconds{1}));
    if (reached || reached == caf::sec::cannot_connect_to_node
        || std::chrono::steady_clock::now() + pause >= until)
      return reached;
    std::this_thread::sleep_for(pause);
  }
}

} // namespace troupe
