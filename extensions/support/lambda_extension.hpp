// Extensions made of one function, without a class or saved state.
#pragma once

#include "messages/loop/loop_event.hpp"

#include <functional>

namespace troupe {

/// A gate that answers what `answer` returns. An exception from `answer` ends the actor, and ends
/// training with its message unless the subscription tolerates failures. It ends when no handle to
/// it is left.
Gate spawn_gate(caf::actor_system& system, std::function<GateAnswer(const LoopEvent&)> answer);

/// An observer that calls `look` for each copy. `look` runs in another thread than its spawner, so
/// it must own what it captures. An exception from it ends the actor, and the log gets its message.
Observer spawn_observer(caf::actor_system& system, std::function<void(const LoopEvent&)> look);

} // namespace troupe
