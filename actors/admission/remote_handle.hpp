// Stands in this process for an actor on another node. Protocol:
// messages/admission/entry_point.hpp.
#pragma once

#include "messages/admission/entry_point.hpp"

#include <functional>
#include <string>

namespace troupe {

/// Makes a handle of the interface of the actor behind an entry point. The first message that it
/// takes is Introduce; everything after that travels in envelopes under the key of the answer.
///
/// Only the handle is known to other nodes, not the actors that use it, and it takes nothing from
/// there but answers under its key. It ends when the connection does, and by an exit message from
/// this process.
/// @param tell hears what was refused, one line a second; called by any thread; may be null
caf::strong_actor_ptr make_remote_handle(caf::actor_system& system, const EntryPoint& entry,
                                         std::function<void(const std::string& line)> tell = {});

} // namespace troupe
