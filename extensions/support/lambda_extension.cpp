#include "extensions/support/lambda_extension.hpp"

#include "extensions/support/call_user_code.hpp"
#include "messages/wire/type_ids.hpp"

#include <caf/typed_event_based_actor.hpp>

namespace troupe {

namespace {

Gate::behavior_type lambda_gate(Gate::pointer self,
                                const std::function<GateAnswer(const LoopEvent&)>& answer) {
  return {[self, answer](const AskGate& ask) -> caf::result<GateAnswer> {
    return call_user_code(self, [&] { return answer(ask.event); });
  }};
}

Observer::behavior_type lambda_observer(Observer::pointer self,
                                        const std::function<void(const LoopEvent&)>& look) {
  return {[self, look](const LoopEvent& event) { call_user_code(self, [&] { look(event); }); }};
}

} // namespace

Gate spawn_gate(caf::actor_system& system, std::function<GateAnswer(const LoopEvent&)> answer) {
  return system.spawn(lambda_gate, std::move(answer));
}

Observer spawn_observer(caf::actor_system& system, std::function<void(const LoopEvent&)> look) {
  return system.spawn(lambda_observer, std::move(look));
}

} // namespace troupe
