#include "apps/process/vital_actor.hpp"

#include "base/exit_codes.hpp"
#include "messages/requests/error.hpp"

#include <caf/abstract_actor.hpp>
#include <caf/exit_reason.hpp>

#include <cstdlib>
#include <iostream>

namespace troupe {

void end_process_without(const caf::strong_actor_ptr& actor, const std::string& name) {
  actor->get()->attach_functor([name](const caf::error& reason) {
    if (!reason || reason == caf::exit_reason::user_shutdown
        || reason == caf::exit_reason::unreachable) // nothing holds it any more
      return;
    std::cerr << "troupe: " + name + " has ended (" + sentence(reason)
                   + "), which is a defect of the program, and this process with it; start it "
                     "again to go on from what was saved\n"
              << std::flush;
    std::_Exit(static_cast<int>(ExitCode::internal)); // an orderly end would wait for it
  });
}

} // namespace troupe
