// Ends training. A gate, so that training stops exactly there and every other extension still sees
// the callback.
#pragma once

#include "messages/loop/extension.hpp"

namespace troupe {

/// Asks for the end of training whenever it is asked. Subscribe it with the condition that shall
/// end training, for example `after_n_epochs: 10`. It ends when no handle to it is left.
/// @param reason for people and the log, e.g. "10 epochs are done"
Extension spawn_finish_after(caf::actor_system& system, std::string reason);

} // namespace troupe
