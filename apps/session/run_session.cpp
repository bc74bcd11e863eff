#include "apps/session/run_session.hpp"

#include "apps/session/session.hpp"
#include "messages/wire/type_ids.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace troupe {

std::size_t threads_for(WorkerId workers) {
  const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
  return std::min<std::size_t>(workers, cores) + 1;
}

SessionResult run_session(caf::actor_system& system, const RunConfig& config,
                          const SessionOptions& options, std::shared_ptr<const Problem> problem,
                          Interrupts& interrupts) {
  Session session{system, config, options, std::move(problem)};
  session.prepare();
  if (options.begins)
    options.begins();
  start_workers(system, session.ends(), session.cast(), options.first_worker);
  interrupts.register_trainers(session.stoppable(), session.cast().logger);
  session.wait_for_ends();
  const auto asked = interrupts.unregister_trainers(session.cast().logger);
  auto result = session.conclude();
  result.asked_to_end = asked;
  return result;
}

} // namespace troupe
