// Extensions that record what they receive.
#pragma once

#include "messages/wire/type_ids.hpp"
#include "tests/support/deterministic_system.hpp"

#include <caf/typed_event_based_actor.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace troupe::test {

/// Everything that was received, in order, over all recorders that share it.
using Trace = std::shared_ptr<std::vector<std::string>>;
using Events = std::shared_ptr<std::vector<LoopEvent>>;

inline Trace new_trace() { return std::make_shared<std::vector<std::string>>(); }

/// "after_batch 3", after the recorder's name if it has one.
inline std::string trace_text(const LoopEvent& event, const std::string& name) {
  return (name.empty() ? "" : name + " ") + to_string(event.callback) + " "
         + std::to_string(event.position.batches);
}

/// A gate that records events in the trace and answers with `answer` (nothing by default).
inline Gate recording_gate(DeterministicSystem& world, Trace trace, std::string name = "",
                           std::function<GateAnswer(const LoopEvent&)> answer = {}) {
  auto behave = [=](Gate::pointer) -> Gate::behavior_type {
    return {[=](const AskGate& ask) {
      trace->push_back(trace_text(ask.event, name));
      return answer ? answer(ask.event) : GateAnswer{};
    }};
  };
  return world.keep(world.system.spawn(behave));
}

/// An observer that keeps the events.
inline Observer recording_observer(DeterministicSystem& world, Events events) {
  auto behave = [=](Observer::pointer) -> Observer::behavior_type {
    return {[=](const LoopEvent& event) { events->push_back(event); }};
  };
  return world.keep(world.system.spawn(behave));
}

/// A gate that never answers.
inline Gate silent_gate(DeterministicSystem& world) {
  auto behave = [](Gate::pointer self) -> Gate::behavior_type {
    return {[self, held = std::make_shared<std::vector<caf::typed_response_promise<GateAnswer>>>()](
              const AskGate&) {
      held->push_back(self->make_response_promise<GateAnswer>());
      return held->back();
    }};
  };
  return world.keep(world.system.spawn(behave));
}

/// Conditions on all callbacks but before_update, which splits a batch.
inline Conditions every_callback() {
  Conditions conditions;
  for (const auto* name :
       {"before_training", "on_resumption", "before_epoch", "before_batch", "after_batch",
        "after_epoch", "on_interrupt", "on_error", "after_training"})
    conditions.set_trigger(name, true);
  return conditions;
}

inline Conditions trigger(const std::string& name, Value value = Value{true}) {
  return Conditions{}.set_trigger(name, value);
}

} // namespace troupe::test
