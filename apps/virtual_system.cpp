#include "troupe/apps/virtual_system.hpp"

#include "troupe/messages/wire.hpp"

#include <caf/scheduler/test_coordinator.hpp>

#include <chrono>

namespace troupe {

VirtualSystem::Config::Config() {
  add_messages(*this);
  set("scheduler.policy", caf::atom("testing"));
}

VirtualSystem::VirtualSystem() : began_(seconds_of(system_)) {}

double VirtualSystem::now() { return seconds_of(system_) - began_; }

void VirtualSystem::settle() {
  auto& scheduler = dynamic_cast<caf::scheduler::test_coordinator&>(system_.scheduler());
  while (scheduler.try_run_once()) {
  }
}

double seconds_of(caf::actor_system& system) {
  return std::chrono::duration<double>(system.clock().now().time_since_epoch()).count();
}

} // namespace troupe
