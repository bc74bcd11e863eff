// Syncs a worker's parameters with the shared ones at each of its triggers.
#pragma once

#include "extensions/sync/parameter_sync.hpp"

namespace troupe {

/// before_training (join, create or fetch), on_interrupt, after_training and on_error (leave). The
/// user adds the triggers of syncs: without one it never syncs, and the session warns.
Conditions shared_params_auto_sync_conditions();

/// A gate, subscribed with parameters. If the holder does not answer, training fails as the
/// subscription says. It ends when no handle to it is left.
/// @throws std::invalid_argument for invalid weights or an invalid deadline.
Extension spawn_shared_params_auto_sync(caf::actor_system& system, ParameterSyncOptions options,
                                        ParameterHolder holder, Layout layout,
                                        HolderFate fate = HolderFate::outlives_run);

} // namespace troupe
