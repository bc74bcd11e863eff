// Writes states of runs to disk. Protocol: messages/checkpoint/checkpoint.hpp.
#pragma once

#include "messages/checkpoint/checkpoint.hpp"

namespace troupe {

/// Spawns a writer with a thread of its own, since disks block. It ends with its last handle.
RunWriter spawn_run_writer(caf::actor_system& system);

/// The same without a thread, for tests in virtual time.
RunWriter spawn_scheduled_run_writer(caf::actor_system& system);

/// The same, but it writes nothing, for workers whose files are not wanted.
RunWriter spawn_no_run_writer(caf::actor_system& system);

} // namespace troupe
