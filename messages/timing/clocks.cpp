#include "messages/timing/clocks.hpp"

#include <caf/actor_system.hpp>
#include <caf/local_actor.hpp>

#include <chrono>

namespace troupe {

double seconds_now(const caf::local_actor* self) { return seconds_now(self->home_system()); }

double seconds_now(caf::actor_system& system) {
  return std::chrono::duration<double>(system.clock().now().time_since_epoch()).count();
}

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

} // namespace troupe
