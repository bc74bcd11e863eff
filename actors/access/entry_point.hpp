// The published side of an actor that other nodes reach. Protocol:
// messages/access/entry_point.hpp.
#pragma once

#include "messages/access/access_rules.hpp"
#include "messages/access/entry_point.hpp"

#include <caf/actor_cast.hpp>

#include <functional>
#include <string>
#include <vector>

namespace troupe {

struct EntryPointOptions {
  std::string actor; ///< its name in messages and for peers: "parameter holder"
  std::string token; ///< of the cluster; "": every peer that introduces itself is admitted
  /// Draws an unguessable key. Null if no message needs an introduction.
  std::function<std::string()> draw_key;
  /// Prints refusals, at most one line a second of each kind. Called by any thread.
  std::function<void(const std::string& line)> notify;
};

/// Makes the entry point of an actor. It forwards admitted messages, in the thread that delivers
/// them and without a copy, and the answers; it refuses everything else. No message ends it: it
/// ends with the actor. The actor does not see the sender of a message.
caf::strong_actor_ptr make_entry_point(caf::actor_system& system, caf::strong_actor_ptr actor,
                                       std::vector<AccessRule> rules, EntryPointOptions options);

/// @param Interface the part of the actor's interface that other nodes reach
/// @param Handle how they address it: the interface itself if no message needs an introduction
template <class Interface, class Handle = EntryPoint, class Actor>
Handle entry_point_of(const Actor& actor, EntryPointOptions options) {
  return caf::actor_cast<Handle>(make_entry_point(actor.home_system(),
                                                  caf::actor_cast<caf::strong_actor_ptr>(actor),
                                                  access_rules<Interface>(), std::move(options)));
}

} // namespace troupe
