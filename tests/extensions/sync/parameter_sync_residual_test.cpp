// The residual of a lossy format is never lost.
#include "actors/parameters/parameter_holder.hpp"
#include "extensions/support/saved_state.hpp"
#include "extensions/sync/shared_params_auto_sync.hpp"
#include "extensions/sync/shared_params_rate_limited.hpp"
#include "tests/support/extension_stage.hpp"
#include "tests/support/lossy_connection.hpp"

using namespace troupe;
using namespace troupe::test;

namespace {

constexpr Step lossy_batches = 20;

/// The files on disk when a process is killed.
struct SavedWorkerAndHolder {
  SavedTrainer trainer;
  SavedHolder holder;
  SavedFields sync;
};

/// A worker that adds its changes to the shared parameters after every batch.
struct LossyStage : Stage {
  explicit LossyStage(bool rate_limited) : Stage({.step_duration = 1}) {
    ParameterSyncOptions options;
    options.rule.name = "downpour";
    const auto way = lossy_connection(world, holder);
    const auto layout = ToyModel{}.layout();
    sync = world.keep(
      rate_limited
        ? spawn_shared_params_rate_limited(world.system, {options, {}}, way, layout, logger)
        : spawn_shared_params_auto_sync(world.system, options, way, layout));
    gate("sync", shared_params_rate_limited_conditions(), sync, Shows::parameters);
    finish_after(lossy_batches);
  }

  SavedWorkerAndHolder save_after(std::chrono::seconds seconds) {
    start();
    world.pass(seconds, 100ms);
    world.self->send(trainer, Pause{});
    world.pass(2s, 100ms);
    SavedWorkerAndHolder saved;
    saved.trainer = world.ask<SavedTrainer>(trainer, Save{}).value();
    saved.holder = world.ask<SavedHolder>(holder, SaveHolder{}).value();
    saved.sync = world.ask<SavedExtension>(sync, SaveExtension{})->state;
    return saved;
  }

  Finished resume_from(const SavedWorkerAndHolder& saved) {
    REQUIRE(world.ask<Restored>(trainer, Restore{saved.trainer}));
    REQUIRE(world.ask<Joined>(holder, RestoreHolder{saved.holder}));
    REQUIRE(world.ask<Restored>(sync, RestoreExtension{saved.sync}));
    return run();
  }

  ParameterHolder holder = world.keep(spawn_parameter_holder(world.system));
  Extension sync;
};

} // namespace

TEST_CASE("a worker resumed from a checkpoint sends its residual", "[residual][B45][L8]") {
  const auto rate_limited = GENERATE(false, true);
  LossyStage undisturbed{rate_limited};
  const auto expected = undisturbed.run();
  LossyStage before{rate_limited};
  const auto saved = before.save_after(8s);
  CHECK(saved.trainer.position.batches < lossy_batches);

  LossyStage after{rate_limited};
  CHECK(after.resume_from(saved).parameters == expected.parameters);

  auto forgetful = saved;
  forgetful.sync.clear();
  LossyStage other{rate_limited};
  CHECK_FALSE(other.resume_from(forgetful).parameters == expected.parameters);
}

TEST_CASE("after its last push a worker has no residual", "[residual][L8]") {
  LossyStage stage{false};
  stage.run();
  CHECK(stage.world.ask<SavedExtension>(stage.sync, SaveExtension{})->state.empty());
}

TEST_CASE("a holder without a format of its own adds what was left out at once", "[residual][L8]") {
  SavedFields state;
  put(state, "residual", Block::copy_of(std::vector<float>{0.5f}));
  Stage exact{{.step_duration = 1}};
  const auto holder = exact.world.keep(spawn_parameter_holder(exact.world.system));
  ParameterSyncOptions options;
  options.rule.name = "downpour";
  const auto sync = exact.world.keep(
    spawn_shared_params_auto_sync(exact.world.system, options, holder, ToyModel{}.layout()));
  exact.gate("sync", shared_params_rate_limited_conditions(), sync, Shows::parameters);
  exact.finish_after(1);
  REQUIRE(exact.world.ask<Restored>(sync, RestoreExtension{state}));
  const auto with = exact.run().parameters.values.view()[0];
  Stage plain{{.step_duration = 1}};
  plain.finish_after(1);
  CHECK(with == plain.run().parameters.values.view()[0] + 0.5f);
}
