// Extensions that are one function: no class, no state of their own.
#pragma once

#include "messages/loop/loop_event.hpp"

#include <functional>

namespace troupe {

/// A gate that answers what `answer` returns. An exception that leaves `answer` ends the actor, and
/// training with its sentence, unless it was subscribed to do without it. It ends when nobody holds
/// a handle to it any more.
Gate spawn_gate(caf::actor_system& system, std::function<GateAnswer(const LoopEvent&)> answer);

/// An observer that calls `look` for each copy. What `look` captures is its own: it runs in another
/// thread than whoever spawned it.
Observer spawn_observer(caf::actor_system& system, std::function<void(const LoopEvent&)> look);

} // namespace troupe
