#include "apps/process/vital_actor.hpp"

#include "base/exit_codes.hpp"
#include "messages/requests/error.hpp"

#include <caf/abstract_actor.hpp>
#include <caf/exit_reason.hpp>

#include <cstdlib>
#include <iostream>

namespace troupe {

void exit_process_if_actor_fails(const caf::strong_actor_ptr& actor, const std::string& name) {
  actor->get()->attach_functor([name](const caf::error& reason) {
    if (!reason || reason == caf::exit_reason::user_shutdown
        || reason == caf::exit_reason::unreachable) // no handle is left
      return;
    std::cerr << "troupe: " + name + " has ended (" + sentence(reason)
                   + "), which is a bug in Troupe, and this process ends with it; start it "
                     "again to resume from what was saved\n"
              << std::flush;
    std::_Exit(static_cast<int>(ExitCode::internal)); // an orderly end would wait for the actor
  });
}

} // namespace troupe
