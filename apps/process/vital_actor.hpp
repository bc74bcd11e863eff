#pragma once

#include <caf/actor_cast.hpp>
#include <caf/actor_control_block.hpp>

#include <string>

namespace troupe {

/// If the actor ends in any other way than by a shutdown of this process (by an exception), the
/// process ends at once with ExitCode::internal and a sentence, because without the actor it would
/// wait forever.
/// @param name in messages: "the parameter holder"
void exit_process_if_actor_fails(const caf::strong_actor_ptr& actor, const std::string& name);

template <class Handle>
void exit_process_if_actor_fails(const Handle& actor, const std::string& name) {
  exit_process_if_actor_fails(caf::actor_cast<caf::strong_actor_ptr>(actor), name);
}

} // namespace troupe
