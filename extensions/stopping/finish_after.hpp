// Ends training. It is a gate, so that training stops exactly there and every other extension still
// sees the callback.
#pragma once

#include "messages/loop/extension.hpp"

namespace troupe {

/// Requests the end of training at each event. Subscribe it with the condition that ends training,
/// for example `after_n_epochs: 10`. It ends when no handle to it is left.
/// @param reason for messages and the log, such as "10 epochs are done"
Extension spawn_finish_after(caf::actor_system& system, std::string reason);

} // namespace troupe
