#include "apps/simulate/virtual_system.hpp"

#include "messages/timing/clocks.hpp"
#include "messages/wire/wire.hpp"

#include <caf/scheduler/test_coordinator.hpp>

namespace troupe {

VirtualSystem::Config::Config() {
  add_messages(*this);
  set("scheduler.policy", caf::atom("testing"));
}

VirtualSystem::VirtualSystem() : began_(seconds_now(system_)) {}

double VirtualSystem::now() { return seconds_now(system_) - began_; }

void VirtualSystem::settle() {
  auto& scheduler = dynamic_cast<caf::scheduler::test_coordinator&>(system_.scheduler());
  while (scheduler.try_run_once()) {
  }
}

} // namespace troupe
