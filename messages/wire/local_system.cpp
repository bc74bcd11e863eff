#include "messages/wire/local_system.hpp"

#include "messages/wire/wire.hpp"

namespace troupe {

namespace {

caf::actor_system_config&
complete(caf::actor_system_config& config,
         const std::function<void(caf::actor_system_config& config)>& add_to) {
  add_messages(config);
  if (add_to)
    add_to(config);
  return config;
}

} // namespace

LocalSystem::LocalSystem(const std::function<void(caf::actor_system_config& config)>& add_to)
  : caf::actor_system(complete(of_system, add_to)),
    caller_(*this) {}

} // namespace troupe
