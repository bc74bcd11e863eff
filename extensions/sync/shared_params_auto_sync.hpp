// Keeps a worker's parameters in step with the shared ones, at each of its triggers.
#pragma once

#include "extensions/sync/parameter_sync.hpp"

namespace troupe {

/// before_training (join, create or fetch), on_interrupt, after_training and on_error (leave). When
/// to sync is the user's to say: without a further trigger it never does, and the composition
/// warns.
Conditions shared_params_auto_sync_conditions();

/// A gate, subscribed with parameters. Where the holder does not answer, training fails as its
/// subscription says. It ends when no handle to it is left.
/// @throws std::invalid_argument for weights or a deadline that cannot be.
Extension spawn_shared_params_auto_sync(caf::actor_system& system, ParameterSyncOptions options,
                                        ParameterHolder holder, Layout layout,
                                        HolderFate fate = HolderFate::outlives_run);

} // namespace troupe
