#pragma once

#include <caf/actor_cast.hpp>
#include <caf/actor_control_block.hpp>

#include <string>

namespace troupe {

/// Where the actor ends otherwise than by a shutdown of this process (by an exception), the process
/// ends at once with ExitCode::internal and a sentence: it would serve nobody, and wait for ever.
/// @param name for people: "the parameter holder"
void end_process_without(const caf::strong_actor_ptr& actor, const std::string& name);

template <class Handle>
void end_process_without(const Handle& actor, const std::string& name) {
  end_process_without(caf::actor_cast<caf::strong_actor_ptr>(actor), name);
}

} // namespace troupe
