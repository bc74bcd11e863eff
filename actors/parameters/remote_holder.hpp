// Represents the parameter holders of other nodes, so that synchronization need not know where the
// parameters are. Protocol: messages/parameters/parameters.hpp towards both sides,
// messages/cluster/cluster.hpp for the connections between them.
#pragma once

#include "actors/parameters/remote_holder_options.hpp"
#include "messages/cluster/cluster.hpp"

namespace troupe {

/// Spawns a holder whose parameters are kept elsewhere, cut into ranges over `shards` holders.
///
/// It renews the worker's leases, detects the loss of a holder within three renewals, retries to
/// connect to it, and repeats requests that were not answered; holders apply each request number
/// once. While a holder is unreachable, an Exchange is answered with Error::unavailable and the
/// worker continues alone. If the holders had declared the worker lost, it joins again, and its next
/// push is answered with the present parameters instead (Parameters::rejoined). If another process
/// has taken its place, all its requests are answered with Error::superseded.
RemoteHolder spawn_remote_holder(caf::actor_system& system, Connector connector,
                                 RemoteHolderOptions options);

} // namespace troupe
