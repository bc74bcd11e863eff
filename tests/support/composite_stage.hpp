// Composites with children that record what they receive.
#pragma once

#include "extensions/support/composite.hpp"
#include "extensions/support/saved_state.hpp"
#include "tests/support/record_script.hpp"

#include <functional>
#include <string>
#include <vector>

namespace troupe::test {

using AnswerOf = std::function<caf::result<GateAnswer>(const LoopEvent&)>;

/// Records each event in the trace, with its count and arguments.
inline Extension recording_child(DeterministicSystem& world, const Trace& trace,
                                 const std::string& name, const AnswerOf& answer = {}) {
  const auto note = [=](const LoopEvent& event, const std::string& how) {
    auto text = trace_text(event, name) + how;
    if (event.times != 1)
      text += " x" + std::to_string(event.times);
    for (const auto& argument : event.arguments)
      text += " " + argument;
    trace->push_back(text);
  };
  const auto behave = [=](Extension::pointer) -> Extension::behavior_type {
    return {
      [=](const LoopEvent& event) { note(event, " observed"); },
      [=](const AskGate& ask) -> caf::result<GateAnswer> {
        note(ask.event, "");
        return answer ? answer(ask.event) : caf::result<GateAnswer>{GateAnswer{}};
      },
      [](const Drain&) { return Drained{}; },
      saves_nothing,
      restores_nothing,
    };
  };
  return world.keep(world.system.spawn(behave));
}

inline AnswerOf writes(const std::string& record, const Value& value = Value{true}) {
  return [=](const LoopEvent&) {
    GateAnswer answer;
    answer.records[record] = value;
    return caf::result<GateAnswer>{std::move(answer)};
  };
}

inline Extension compose(Stage& stage, const std::vector<CompositeChild>& children,
                         const CompositeOptions& options = {}) {
  const auto extension = stage.world.keep(spawn_composite(stage.world.system, children, options));
  stage.gate("composite", composite_conditions(children), extension, Shows::parameters);
  return extension;
}

inline Conditions on_best(const std::string& record) {
  return Conditions{}.add_condition({"after_epoch"}, on_record(record));
}

} // namespace troupe::test
