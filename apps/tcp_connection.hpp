// Connections over TCP whose making ends: where packets vanish, the system tries for two minutes.
#pragma once

#include "troupe/messages/cluster_spec.hpp"

#include <caf/error.hpp>

#include <functional>

namespace troupe {

/// Whether nobody waits for a connection any longer. Empty: somebody does.
using NobodyWaits = std::function<bool()>;

/// Connects to the first address of the endpoint that answers, for at most `deadline` seconds each.
/// @returns the descriptor, which does not block and is the caller's to close.
/// @throws IoError with the reason, for a sentence that names the endpoint.
int connect_tcp(const Endpoint& endpoint, double deadline, const NobodyWaits& nobody_waits = {});

/// Makes a connection and ends it. @returns Error::unavailable with the reason where it cannot be.
caf::error try_connection(const Endpoint& endpoint, double deadline,
                          const NobodyWaits& nobody_waits);

} // namespace troupe
