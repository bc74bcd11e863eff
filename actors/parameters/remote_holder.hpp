// Stands for the parameter holders of other nodes, so that whoever syncs need not know where the
// parameters are. Protocol: messages/parameters/parameters.hpp towards both sides,
// messages/cluster/cluster.hpp for the ways between them.
#pragma once

#include "actors/parameters/remote_holder_options.hpp"
#include "messages/cluster/cluster.hpp"

namespace troupe {

/// Spawns a holder whose parameters are kept elsewhere, cut into ranges over `shards` holders.
///
/// It renews the worker's leases, finds out within three renewals when a holder is gone, looks for
/// a way to it again and again, and repeats what was not answered: holders apply a number once.
/// While a holder is out of reach, an Exchange is answered with Error::unavailable and the worker
/// goes on alone. Where the holders had taken the worker for lost, it joins anew, and what it
/// pushes next is answered with the present parameters instead (Parameters::rejoined). Where
/// another process has taken its place, whatever it asks for is answered with Error::superseded.
RemoteHolder spawn_remote_holder(caf::actor_system& system, Connector connector,
                                 RemoteHolderOptions options);

} // namespace troupe
