#include "extensions/stopping/finish_after.hpp"

#include "extensions/support/saved_state.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/typed_event_based_actor.hpp>

namespace troupe {

namespace {

Extension::behavior_type finish_after(Extension::pointer, const std::string& reason) {
  return {
    [](const LoopEvent&) {},
    [reason](const AskGate&) {
      GateAnswer answer;
      answer.finish = true;
      answer.reason = reason;
      return answer;
    },
    [](const Drain&) { return Drained{}; },
    saves_nothing,
    restores_nothing,
  };
}

} // namespace

Extension spawn_finish_after(caf::actor_system& system, std::string reason) {
  return system.spawn(finish_after, std::move(reason));
}

} // namespace troupe
