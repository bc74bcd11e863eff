#include "apps/process/system_config.hpp"

#include "messages/wire/wire.hpp"

namespace troupe {

SystemConfig::SystemConfig(std::size_t threads, ProcessNeeds beside) {
  constexpr std::size_t of_caf = 2; // the clock of delayed messages, and the printer
  beside.threads += threads + of_caf;
  check_resources(beside);
  add_messages(*this);
  // Waking a sleeping thread takes 20 us instead of 85 with the default policy, which polls in
  // sleeps of 50 us. It has to be an atom: a string silently leaves the default.
  set("scheduler.policy", caf::atom("sharing"));
  set("scheduler.max-threads", threads);
  // Without a limit an actor that sends itself messages keeps its thread forever.
  set("scheduler.max-throughput", std::size_t{5});
}

} // namespace troupe
