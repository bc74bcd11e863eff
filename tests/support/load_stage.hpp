// A run that begins with the saved state of another one.
#pragma once

#include "extensions/saving/load.hpp"
#include "messages/checkpoint/saved_run.hpp"
#include "tests/support/extension_stage.hpp"
#include "tests/support/program.hpp"

namespace troupe::test {

using Floats = std::vector<float>;

/// The parameters of a run with such a layout: 1, 2, 3, ...
inline SavedRun run_of(const Layout& layout) {
  SavedRun run;
  SavedTrainer trainer;
  trainer.layout = layout;
  Block values{layout.size()};
  auto number = 0.0f;
  for (auto& value : values.edit())
    value = ++number;
  trainer.parameters = {7, values};
  trainer.position.batches = 7;
  run.trainers = {trainer};
  return run;
}

inline Layout layout_of(const std::vector<std::pair<std::string, Shape>>& parameters) {
  Layout layout;
  for (const auto& [name, shape] : parameters)
    layout.add(name, shape);
  return layout;
}

/// A run of the toy problem after so many batches, 3 an epoch.
inline SavedRun run_at(Step batches) {
  auto run = run_of(layout_of({{"w", {1}}}));
  auto& trainer = run.trainers.front();
  trainer.cursor = trainer.position.batches = batches;
  trainer.position.epochs = batches / 3;
  trainer.position.seconds = 100;
  trainer.epoch_started = batches % 3 > 0;
  trainer.epoch_size = {3, 30};
  return run;
}

/// One worker with a load, which ends after one batch.
struct LoadStage {
  explicit LoadStage(LoadOptions options, StageOptions of_stage = {}, LoggedRows logged = {},
                     CheckpointNames checkpoints = {})
    : stage(of_stage) {
    const auto load = stage.world.keep(
      spawn_load(stage.world.system, std::move(options), toy_learner(stage.problem)->layout(),
                 stage.logger, stage.trainer, std::move(logged), std::move(checkpoints)));
    stage.gate("load", load_conditions(), load, Shows::parameters);
    const auto watch = [seen = seen](const LoopEvent& event) {
      seen->push_back(event.parameters.values.view()[0]);
      return GateAnswer{};
    };
    stage.gate("watch", trigger("before_epoch"),
               recording_gate(stage.world, new_trace(), "", watch), Shows::parameters);
    stage.finish_after(1);
  }

  /// The state of the worker in the end.
  SavedTrainer saved() { return *stage.world.ask<SavedTrainer>(stage.trainer, Save{}); }

  Stage stage;
  std::shared_ptr<Floats> seen = std::make_shared<Floats>();
};

} // namespace troupe::test
