// A record with prescribed values, and a run that resumes from a saved state.
#pragma once

#include "messages/requests/error.hpp"
#include "tests/support/extension_stage.hpp"

#include <limits>
#include <vector>

namespace troupe::test {

inline constexpr auto not_a_number = std::numeric_limits<double>::quiet_NaN();

/// The batch after which an epoch of the stage's three batches ends.
constexpr Step last_batch_of(Epoch epoch) { return 3 * epoch; }

/// Subscribes a gate that writes the next of `values` after each epoch: the first after epoch 1.
inline void script(Stage& stage, const std::vector<double>& values,
                   const std::string& record = "validation_loss") {
  const auto answer = [=](const LoopEvent& event) {
    GateAnswer answer;
    if (event.position.epochs <= values.size())
      answer.records[record] = Value{values[event.position.epochs - 1]};
    return answer;
  };
  stage.gate("script of " + record, trigger("after_epoch"),
             recording_gate(stage.world, new_trace(), "", answer));
}

/// Saves the trainer and an extension after a run, and resumes training with new ones: `subscribe`
/// subscribes the extensions of the new trainer and returns the new extension.
template <class Subscribe>
Finished resume_in_a_new_trainer(Stage& stage, const Extension& extension, Subscribe subscribe) {
  const auto saved = stage.world.ask<SavedTrainer>(stage.trainer, Save{});
  const auto state = stage.world.ask<SavedExtension>(extension, SaveExtension{});
  REQUIRE(saved);
  REQUIRE(state);
  stage.trainer = stage.new_trainer();
  REQUIRE(stage.world.ask<Restored>(stage.trainer, Restore{*saved}));
  const Extension successor = subscribe();
  REQUIRE(stage.world.ask<Restored>(successor, RestoreExtension{state->state}));
  return stage.run();
}

} // namespace troupe::test
