// Represents an actor on another node in this process. Protocol:
// messages/access/entry_point.hpp.
#pragma once

#include "messages/access/entry_point.hpp"

#include <functional>
#include <string>

namespace troupe {

/// Makes a handle with the interface of the actor behind an entry point. Its first message is
/// Introduce; later messages are sent in envelopes with the key from the answer.
///
/// Other nodes only know the handle, not the actors that use it, and it accepts nothing from them
/// but answers with its key. It ends with the connection, and by an exit message from this process.
/// @param notify reports refusals, at most one line a second; called by any thread; may be null
caf::strong_actor_ptr make_remote_handle(caf::actor_system& system, const EntryPoint& entry,
                                         std::function<void(const std::string& line)> notify = {});

} // namespace troupe
