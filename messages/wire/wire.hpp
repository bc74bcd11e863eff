#pragma once

namespace caf {
class actor_system_config;
}

namespace troupe {

/// Registers Troupe's messages, and how its errors print, in the configuration of an actor system.
/// Calling CAF's own add_message_types instead instantiates the code of all messages again, which
/// takes longer to compile than most of our sources.
void add_messages(caf::actor_system_config& config);

} // namespace troupe
