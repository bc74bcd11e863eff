// Reads batches ahead of a trainer. Protocol: messages/loop/loading.hpp.
#pragma once

#include "messages/loop/loading.hpp"

namespace troupe {

/// Spawns a loader with a thread of its own, since reading may block. It ends with its last handle.
/// @param reader the same as the trainer's learner has, so that both read the same batches
Loader spawn_loader(caf::actor_system& system, BatchReader reader);

/// The same without a thread, for tests in virtual time.
Loader spawn_scheduled_loader(caf::actor_system& system, BatchReader reader);

} // namespace troupe
