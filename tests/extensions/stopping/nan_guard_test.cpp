#include "extensions/stopping/nan_guard.hpp"
#include "model/training/host_learner.hpp"
#include "tests/support/extension_stage.hpp"

#include <cmath>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

constexpr auto infinity = std::numeric_limits<double>::infinity();

constexpr NanGuardOptions rewinding{NanGuardPolicy::rewind, 2, 0.5, 3};

/// After batch `batch` with a loss; the parameters are the number of the batch.
LoopEvent after(Step batch, double loss) {
  LoopEvent event;
  event.callback = Callback::after_batch;
  event.position.batches = event.totals.batches = batch;
  event.loss = loss;
  event.learning_rate = 8;
  event.parameters = {batch, Block::copy_of(std::vector<float>{static_cast<float>(batch), 0.5f})};
  event.optimizer_slots
    = {{"momentum", Block::copy_of(std::vector<float>{-static_cast<float>(batch), 0.25f})}};
  event.optimizer_steps = batch + 100;
  return event;
}

/// A guard that has seen the good batches 1 to `batches`.
NanGuard after_good_batches(Step batches, NanGuardOptions options = rewinding) {
  NanGuard guard{options};
  guard.begin(after(0, 0));
  for (Step batch = 1; batch <= batches; ++batch)
    CHECK(guard.after_batch(after(batch, 1)) == GateAnswer{});
  return guard;
}

/// A stage whose learner skips batches that are not finite. Its steps are so long that training
/// diverges, until the guard has shortened them.
struct Diverging : Stage {
  Diverging() : Stage({.step_duration = 0}) {
    BatchOrderOptions order;
    order.examples = problem->size(Section::train);
    order.batch_size = 10;
    LearnerOptions options;
    options.nan = NanPolicy::skip;
    const SgdOptions sgd{.learning_rate = 1, .momentum = 0.125};
    const auto learner = std::make_shared<HostLearner>(
      problem, std::make_unique<ToyModel>(), make_optimizer(sgd, 1), BatchOrder{order}, options);
    learner->initialize(RandomKey{0});
    TrainerOptions trainer_options;
    trainer_options.step_duration = 0;
    trainer = world.keep(spawn_trainer(world.system, learner, logger, trainer_options));
  }

  Extension guard(const NanGuardOptions& options) {
    const auto extension = world.keep(spawn_nan_guard(world.system, options, logger));
    gate("guard", nan_guard_conditions(), extension, Shows::optimizer);
    return extension;
  }
};

constexpr NanGuardOptions in_great_steps{NanGuardPolicy::rewind, 10, 0.001, 5};

} // namespace

TEST_CASE("finite losses do not end training", "[nan_guard]") {
  after_good_batches(20);
  after_good_batches(20, {});
}

TEST_CASE("a loss that is not finite ends training normally", "[nan_guard]") {
  for (const auto loss : {std::nan(""), infinity, -infinity}) {
    auto guard = after_good_batches(3, {});
    const auto answer = guard.after_batch(after(4, loss));
    CHECK(answer.finish);
    CHECK_THAT(answer.reason, Contains("the loss of batch 4") && Contains(shortest(loss)));
  }
}

TEST_CASE("a batch skipped for its gradient is treated like one with a bad loss", "[nan_guard]") {
  auto guard = after_good_batches(3, {});
  auto skipped = after(4, 1);
  skipped.totals.skipped_batches = 1;
  const auto answer = guard.after_batch(skipped);
  CHECK(answer.finish);
  CHECK_THAT(answer.reason, Contains("the gradient of batch 4 of worker 0 is not finite"));
  skipped.position.batches = 1; // also the first batch of a run
  CHECK(after_good_batches(0, {}).after_batch(skipped).finish);
  auto next = after(5, 1);
  next.totals.skipped_batches = 1;
  CHECK(guard.after_batch(next) == GateAnswer{});
  NanGuard resumed;
  resumed.begin(next); // earlier skipped batches do not count
  next.position.batches = next.totals.batches = 6;
  CHECK(resumed.after_batch(next) == GateAnswer{});
}

TEST_CASE("a rewind restores parameters with a finite loss", "[nan_guard]") {
  auto guard = after_good_batches(5); // snapshots after batches 0, 2 and 4
  const auto answer = guard.after_batch(after(6, infinity));
  CHECK_FALSE(answer.finish);
  CHECK(answer.parameters == after(4, 0).parameters.values);
  CHECK(answer.optimizer_slots == after(4, 0).optimizer_slots);
  CHECK(answer.optimizer_steps == 104);
  CHECK(answer.settings == std::map<std::string, double>{{"learning_rate", 4}});
  CHECK(answer.records == Records{{"nan_guard_rewinds", Value{std::int64_t{1}}}});
}

TEST_CASE("a snapshot whose loss is not finite is not restored", "[nan_guard]") {
  auto guard = after_good_batches(4); // the loss of batch 5 is that of the snapshot after batch 4
  CHECK(guard.after_batch(after(5, std::nan(""))).parameters == after(2, 0).parameters.values);
}

TEST_CASE("a snapshot with a finite loss is restored if only the gradient is not finite",
          "[nan_guard]") {
  auto guard = after_good_batches(4); // the loss of batch 5 is that of the snapshot after batch 4
  auto skipped = after(5, 1);
  skipped.totals.batches = 4;
  skipped.totals.skipped_batches = 1;
  CHECK(guard.after_batch(skipped).parameters == after(4, 0).parameters.values);
}

TEST_CASE("a batch without a loss decides nothing about a snapshot", "[nan_guard]") {
  auto guard = after_good_batches(4);
  auto masked = after(5, 1); // the loss is that of batch 4
  masked.totals.batches = 4;
  CHECK(guard.after_batch(masked) == GateAnswer{});
  auto next = after(6, infinity); // the first loss with the snapshot after batch 4
  next.totals.batches = 5;
  CHECK(guard.after_batch(next).parameters == after(2, 0).parameters.values);
  masked = after(7, infinity); // that of batch 6, which was already handled
  masked.totals.batches = 5;
  CHECK(guard.after_batch(masked) == GateAnswer{});
}

TEST_CASE("the first batch may be the bad one", "[nan_guard]") {
  auto guard = after_good_batches(0);
  const auto answer = guard.after_batch(after(1, infinity));
  CHECK(answer.finish); // the first parameters have no finite loss
  CHECK_THAT(answer.reason, Contains("no good parameters"));
}

TEST_CASE("training ends after the largest number of rewinds", "[nan_guard]") {
  auto guard = after_good_batches(5);
  for (int i = 1; i <= 3; ++i)
    CHECK_FALSE(guard.after_batch(after(5 + i, infinity)).finish);
  const auto answer = guard.after_batch(after(9, infinity));
  CHECK(answer.finish);
  CHECK_THAT(answer.reason, Contains("after 3 rewinds; training ends with the parameters after"));
  CHECK(answer.parameters.view()[0] < 5); // good ones, to resume from
  CHECK(answer.parameters == guard.after_batch(after(10, infinity)).parameters);
  CHECK(guard.rewinds() == 3);
}

TEST_CASE("parameters whose loss was not finite do not become good later", "[nan_guard]") {
  auto guard = after_good_batches(4);
  guard.after_batch(after(5, infinity)); // the loss of the snapshot after batch 4
  CHECK(guard.after_batch(after(6, 1)) == GateAnswer{});
  CHECK(guard.after_batch(after(7, infinity)).parameters == after(2, 0).parameters.values);
}

TEST_CASE("after a rewind the next snapshot is taken a whole period later", "[nan_guard]") {
  auto guard = after_good_batches(5);
  guard.after_batch(after(6, infinity));
  for (Step batch = 7; batch <= 9; ++batch) // the snapshot after batch 8 was good for batch 9
    CHECK(guard.after_batch(after(batch, 1)) == GateAnswer{});
  CHECK(guard.after_batch(after(10, infinity)).parameters == after(8, 0).parameters.values);
  for (Step batch = 11; batch <= 12; ++batch)
    CHECK(guard.after_batch(after(batch, 1)) == GateAnswer{});
  CHECK(guard.after_batch(after(13, infinity)).parameters == after(8, 0).parameters.values);
}

TEST_CASE("a guard that only ends training keeps no snapshot", "[nan_guard]") {
  for (const auto& [name, value] : after_good_batches(5, {}).state())
    CHECK_THAT(name, !Contains("parameters"));
}

TEST_CASE("a guard attached during training starts with the next batch", "[nan_guard][P15]") {
  NanGuard guard{rewinding};
  auto event = after(1, 1);
  event.totals.skipped_batches = 3; // before it was attached
  CHECK(guard.after_batch(event) == GateAnswer{});
  event.position.batches = event.totals.batches = 2;
  CHECK(guard.after_batch(event) == GateAnswer{});
  event.totals.skipped_batches = 4;
  CHECK(guard.after_batch(event).parameters == after(1, 0).parameters.values);
}

TEST_CASE("a guard answers the same after being saved and restored at any point",
          "[nan_guard][B45]") {
  for (Step at = 0; at < 20; ++at) {
    auto undisturbed = after_good_batches(0), guard = after_good_batches(0);
    for (Step batch = 1; batch < 20; ++batch) {
      if (batch == at) {
        NanGuard restored{rewinding};
        restored.restore(guard.state());
        restored.begin(after(batch - 1, 1));
        guard = restored;
      }
      const auto loss = batch == 7 || batch == 8 || batch == 15 ? infinity : 1;
      INFO("saved before batch " << at << ", at batch " << batch);
      CHECK(guard.after_batch(after(batch, loss)) == undisturbed.after_batch(after(batch, loss)));
    }
    CHECK(guard.state() == undisturbed.state());
  }
}

TEST_CASE("a damaged state has no snapshot", "[nan_guard]") {
  auto state = after_good_batches(3).state();
  state["good.parameters"] = Value{std::string{}};
  state["candidate.parameters"] = Value{true};
  state["good.slots"] = Value{std::int64_t{1'000'000'000'000}};
  NanGuard guard{rewinding};
  guard.restore(state);
  CHECK(guard.after_batch(after(4, infinity)).finish);
}

TEST_CASE("diverging training is rewound and continues", "[nan_guard]") {
  Diverging stage;
  stage.guard(in_great_steps);
  stage.finish_after(400);
  const auto finished = stage.run();
  CHECK(finished.outcome == Outcome::finished);
  CHECK(finished.parameters.values.view()[0] == Approx(2)); // the solution of the data
  REQUIRE(stage.heard->texts(Level::warning).size() == 1);
  CHECK_THAT(stage.heard->texts(Level::warning).front(), Contains("the gradient of batch 16")
                                                           && Contains("after batch 10")
                                                           && Contains("0.001"));
  std::size_t rows = 0;
  for (Step batch = 1; batch <= 400; ++batch)
    rows += stage.row(batch).count("nan_guard_rewinds");
  CHECK(rows == 1);
}

TEST_CASE("training ended by a guard ends with parameters of a finite loss", "[nan_guard]") {
  Diverging stage;
  auto options = in_great_steps;
  options.most = 0;
  stage.guard(options);
  stage.finish_after(400);
  const auto finished = stage.run();
  CHECK_THAT(finished.causes.front(), Contains("training ends with the parameters after batch 10"));
  const auto saved = stage.world.ask<SavedTrainer>(stage.trainer, Save{});
  REQUIRE(saved);
  CHECK(saved->optimizer_steps == 10);
  CHECK(saved->parameters.values == finished.parameters.values);
}

TEST_CASE("a rewind restores the optimizer's number of steps", "[nan_guard]") {
  Diverging stage;
  stage.guard(in_great_steps);
  stage.finish_after(20);
  stage.run();
  const auto saved = stage.world.ask<SavedTrainer>(stage.trainer, Save{});
  REQUIRE(saved);
  CHECK(saved->optimizer_steps
        == 10 + (20 - 16)); // after batch 16 the number was as after batch 10
}

TEST_CASE("a guard can end diverging training", "[nan_guard]") {
  Diverging stage;
  stage.guard({});
  stage.finish_after(400);
  const auto finished = stage.run();
  CHECK(finished.outcome == Outcome::finished);
  CHECK(finished.position.batches < 40);
  REQUIRE_FALSE(finished.causes.empty());
  CHECK_THAT(finished.causes.front(), Contains("the gradient of batch 16"));
}

TEST_CASE("a resumed guarded run ends with the same bits", "[nan_guard][B45]") {
  const auto run = [](Step to, SavedTrainer* trainer, SavedFields* state) {
    Diverging stage;
    const auto extension
      = stage.world.keep(spawn_nan_guard(stage.world.system, in_great_steps, stage.logger));
    if (trainer->cursor > 0) {
      REQUIRE(stage.world.ask<Restored>(stage.trainer, Restore{*trainer}));
      REQUIRE(stage.world.ask<Restored>(extension, RestoreExtension{*state}));
    }
    stage.gate("guard", nan_guard_conditions(), extension, Shows::optimizer);
    stage.finish_after(to);
    stage.run();
    *trainer = *stage.world.ask<SavedTrainer>(stage.trainer, Save{});
    *state = stage.world.ask<SavedExtension>(extension, SaveExtension{})->state;
  };
  const Step at = GENERATE(3, 10, 11, 15, 30);
  SavedTrainer whole, parts;
  SavedFields whole_state, parts_state;
  run(60, &whole, &whole_state);
  run(at, &parts, &parts_state);
  run(60, &parts, &parts_state);
  CHECK(parts.parameters == whole.parameters);
  CHECK(parts.settings == whole.settings);
  CHECK(parts_state == whole_state);
}

TEST_CASE("invalid options of a guard are refused", "[nan_guard]") {
  CHECK_THROWS_WITH((NanGuard{{NanGuardPolicy::rewind, 0, 0.5, 1}}), Contains("snapshot_every"));
  for (const auto factor : {0.0, -1.0, 1.5, std::nan("")})
    CHECK_THROWS_WITH((NanGuard{{NanGuardPolicy::rewind, 1, factor, 1}}), Contains("factor"));
  NanGuardPolicy policy{};
  CHECK_FALSE(from_text("Rewind", policy));
  CHECK(from_text("rewind", policy));
}
