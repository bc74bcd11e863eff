// Connects to an actor of another process, by mutual TLS or plainly on loopback.
#pragma once

#include "apps/transport/actor_connection.hpp"
#include "messages/requests/error.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>

#include <algorithm>
#include <chrono>
#include <thread>

namespace troupe {

/// Connects to an actor, once. It takes some seconds at most, and returns early if cancelled.
template <class Handle>
caf::expected<Handle> reach_actor(caf::actor_system& system, const Endpoint& endpoint,
                                  const Trust& trust, const Cancelled& cancelled = {},
                                  caf::timespan deadline = std::chrono::seconds{5}) {
  auto reached = connect_actor(system, endpoint, trust, deadline, cancelled);
  if (!reached)
    return std::move(reached.error());
  if (!reached->actor || !system.assignable(reached->signatures, system.message_types<Handle>()))
    return caf::make_error(caf::sec::unexpected_actor_messaging_interface);
  return caf::actor_cast<Handle>(reached->actor);
}

/// The same with a deadline, and with retries: CAF closes a connection whose handshake coincides
/// with its first heartbeat, even if the peer is healthy.
template <class Handle>
caf::expected<Handle> reach_within(caf::actor_system& system, const Endpoint& endpoint,
                                   const Trust& trust, caf::timespan deadline) {
  constexpr auto pause = std::chrono::milliseconds{200};
  const auto until = std::chrono::steady_clock::now() + deadline;
  for (;;) {
    const auto left = std::max<caf::timespan>(until - std::chrono::steady_clock::now(),
                                              std::chrono::milliseconds{1});
    auto reached = reach_actor<Handle>(system, endpoint, trust, {}, left);
    if (reached || reached == Error::unavailable
        || std::chrono::steady_clock::now() + pause >= until)
      return reached;
    std::this_thread::sleep_for(pause);
  }
}

} // namespace troupe
