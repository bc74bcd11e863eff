// Connections over TCP whose making ends: where packets vanish, the system tries for two minutes.
#pragma once

#include "messages/cluster/cluster_spec.hpp"

#include <cstdint>
#include <functional>

namespace troupe {

/// Whether nobody waits for a connection any longer. Empty: somebody does.
using Cancelled = std::function<bool()>;

/// Connects to the first address of the endpoint that answers, for at most `deadline` seconds each.
/// @returns the descriptor, which does not block and is the caller's to close.
/// @throws IoError with the reason, for a sentence that names the endpoint.
int connect_tcp(const Endpoint& endpoint, double deadline, const Cancelled& cancelled = {});

/// Listens on the endpoint; port 0: any free one.
/// @returns the descriptor, which does not block and is the caller's to close.
/// @throws IoError with the reason, for a sentence that names the endpoint.
int listen_tcp(const Endpoint& endpoint);

/// The port that a socket is bound to.
std::uint16_t local_port_of(int descriptor);

} // namespace troupe
