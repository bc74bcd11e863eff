#include "troupe/extensions/lambda_extension.hpp"

#include "troupe/messages/type_ids.hpp"

#include <caf/typed_event_based_actor.hpp>

namespace troupe {

namespace {

Gate::behavior_type lambda_gate(const std::function<GateAnswer(const LoopEvent&)>& answer) {
  return {[answer](const AskGate& ask) { return answer(ask.event); }};
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
