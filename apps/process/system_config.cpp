#include "apps/process/system_config.hpp"

#include "messages/wire/wire.hpp"

namespace troupe {

SystemConfig::SystemConfig(std::size_t threads, ProcessNeeds beside) {
  constexpr std::size_t of_caf = 2; // its clock of delayed messages, and its printer
  beside.threads += threads + of_caf;
  check_room(beside);
  add_messages(*this);
  // A hop into a sleeping thread takes 20 us instead of 85 of the default policy, which polls in
  // sleeps of 50 us. An atom: a string would silently leave the default.
  set("scheduler.policy", caf::atom("sharing"));
  set("scheduler.max-threads", threads);
  // Without a limit an actor that sends itself messages keeps its thread for ever.
  set("scheduler.max-throughput", std::size_t{5});
}

} // namespace troupe
