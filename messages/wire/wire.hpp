#pragma once

namespace caf {
class actor_system_config;
}

namespace troupe {

/// Tells an actor system that is about to be made of Troupe's messages, and how its errors print.
/// Whoever calls CAF's own add_message_types makes what sends, receives and prints all messages
/// once more, which takes a compiler longer than most of our sources.
void add_messages(caf::actor_system_config& config);

} // namespace troupe
