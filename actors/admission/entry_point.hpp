// The published side of an actor that other nodes reach. Protocol:
// messages/admission/entry_point.hpp.
#pragma once

#include "messages/admission/admission_rules.hpp"
#include "messages/admission/entry_point.hpp"

#include <caf/actor_cast.hpp>

#include <functional>
#include <string>
#include <vector>

namespace troupe {

struct EntryPointOptions {
  std::string actor; ///< for people and for peers: "parameter holder"
  std::string token; ///< of the cluster; "": whoever introduces itself is let in
  /// Draws a key that nobody can guess. Null where no message needs an introduction.
  std::function<std::string()> draw_key;
  /// Tells people what was refused: one line a second of each kind. Called by any thread.
  std::function<void(const std::string& line)> tell;
};

/// Makes the entry point of an actor. It passes on what the rules admit, in the thread that brings
/// it and without copying it, and the answers back; the rest it refuses. No message ends it: it
/// ends with the actor. The actor does not see who a message is from.
caf::strong_actor_ptr make_entry_point(caf::actor_system& system, caf::strong_actor_ptr actor,
                                       std::vector<AdmissionRule> rules, EntryPointOptions options);

/// @param Interface what of the actor's interface other nodes reach
/// @param Handle how they see it: the interface itself where no message needs an introduction
template <class Interface, class Handle = EntryPoint, class Actor>
Handle entry_point_of(const Actor& actor, EntryPointOptions options) {
  return caf::actor_cast<Handle>(
    make_entry_point(actor.home_system(), caf::actor_cast<caf::strong_actor_ptr>(actor),
                     admission_rules<Interface>(), std::move(options)));
}

} // namespace troupe
