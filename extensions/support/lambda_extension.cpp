#include "extensions/support/lambda_extension.hpp"

#include "base/exception_text.hpp"
#include "messages/requests/error.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/sec.hpp>
#include <caf/typed_event_based_actor.hpp>

namespace troupe {

namespace {

Gate::behavior_type lambda_gate(Gate::pointer self,
                                const std::function<GateAnswer(const LoopEvent&)>& answer) {
  return {[self, answer](const AskGate& ask) -> caf::result<GateAnswer> {
    try {
      return answer(ask.event);
    } catch (...) { // ending the actor alone would lose the message
      self->quit(caf::sec::runtime_error);
      return fail(Error::gate_failed, exception_text());
    }
  }};
}

Observer::behavior_type lambda_observer(const std::function<void(const LoopEvent&)>& look) {
  return {[look](const LoopEvent& event) { look(event); }};
}

} // namespace

Gate spawn_gate(caf::actor_system& system, std::function<GateAnswer(const LoopEvent&)> answer) {
  return system.spawn(lambda_gate, std::move(answer));
}

Observer spawn_observer(caf::actor_system& system, std::function<void(const LoopEvent&)> look) {
  return system.spawn(lambda_observer, std::move(look));
}

} // namespace troupe
