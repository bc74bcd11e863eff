// TCP connections with deadlines: by itself the system tries for two minutes if packets are lost.
#pragma once

#include "messages/cluster/cluster_spec.hpp"

#include <cstdint>
#include <functional>

namespace troupe {

/// Whether the connection is not needed any more. Empty: it always is.
using Cancelled = std::function<bool()>;

/// Connects to the first address of the endpoint that answers, for at most `deadline` seconds each.
/// @returns the non-blocking descriptor, which the caller closes.
/// @throws IoError with the reason, to be completed by the caller with the endpoint.
int connect_tcp(const Endpoint& endpoint, double deadline, const Cancelled& cancelled = {});

/// Listens on the endpoint; port 0: any free one.
/// @returns the non-blocking descriptor, which the caller closes.
/// @throws IoError with the reason, to be completed by the caller with the endpoint.
int listen_tcp(const Endpoint& endpoint);

/// The port that a socket is bound to.
std::uint16_t local_port_of(int descriptor);

} // namespace troupe
