// Reads batches ahead of a trainer. Protocol: messages/loop/loading.hpp.
#pragma once

#include "messages/loop/loading.hpp"

namespace troupe {

/// Spawns a loader with a thread of its own, since reading takes as long as it takes. It ends when
/// nobody holds a handle to it any more.
/// @param reader as that of the trainer's learner, so that both read the same
Loader spawn_loader(caf::actor_system& system, BatchReader reader);

/// The same without a thread, for tests in virtual time.
Loader spawn_scheduled_loader(caf::actor_system& system, BatchReader reader);

} // namespace troupe
