// The rule gradient_average: workers that take one step along the mean of their gradients.
#include "extensions/sync/shared_params_auto_sync.hpp"
#include "extensions/sync/shared_params_rate_limited.hpp"
#include "model/data/images/digits.hpp"
#include "model/training/host_learner.hpp"
#include "model/zoo/network.hpp"
#include "tests/support/extension_stage.hpp"
#include "tests/support/remote_holder_stage.hpp"

#include <cmath>

using namespace troupe;
using namespace troupe::test;

namespace {

enum class Steps { momentum, adam };

struct AveragingOptions {
  Index workers = 1;
  Index batch_size = 24;
  Steps optimizer = Steps::momentum;
  ParameterSyncOptions sync = {.rule = {"gradient_average"}, .staleness = in_step};
};

std::unique_ptr<Optimizer> optimizer_of(Steps steps, Index size) {
  if (steps == Steps::adam) // an epsilon above the rounding of the gradients
    return make_optimizer(AdamOptions{.learning_rate = 0.01, .epsilon = 1e-3}, size);
  return make_optimizer(SgdOptions{.learning_rate = 0.5f, .momentum = 0.9}, size);
}

Conditions before_each_update() {
  return shared_params_auto_sync_conditions().set_trigger("before_update", true);
}

/// A worker that trains a small network on its share of 240 digits, and its parameters after each
/// batch.
struct AveragingWorker {
  AveragingWorker(DeterministicSystem& in, const ParameterHolder& holder, Index number,
                  const AveragingOptions& options)
    : world(in) {
    const auto problem = std::make_shared<Digits>(DigitsOptions{.train = 240});
    auto model = std::make_unique<Network>(problem->spec(), NetworkOptions{.hidden = {8}});
    const auto layout = model->layout();
    const auto learner = std::make_shared<HostLearner>(
      problem, std::move(model), optimizer_of(options.optimizer, layout.size()),
      BatchOrder{{.examples = 240,
                  .batch_size = options.batch_size,
                  .shuffle = false,
                  .shards = options.workers,
                  .shard = number}},
      LearnerOptions{.clipping = {.norm = 0.5}});
    learner->initialize({7});
    TrainerOptions trainer_options;
    trainer_options.worker = static_cast<WorkerId>(number);
    trainer_options.step_duration = static_cast<double>(1 + number);
    trainer = world.keep(spawn_trainer(world.system, learner, {}, trainer_options));
    const auto sync
      = world.keep(spawn_shared_params_auto_sync(world.system, options.sync, holder, layout));
    gate("sync", before_each_update(), caf::actor_cast<Gate>(sync), shows_for(options.sync));
    gate("watch", trigger("after_batch"),
         recording_gate(world, new_trace(), "",
                        [taken = taken](const LoopEvent& event) {
                          taken->push_back(event.parameters.values);
                          return GateAnswer{};
                        }),
         Shows::parameters);
  }

  void gate(const std::string& name, const Conditions& conditions, const Gate& gate, Shows shows) {
    REQUIRE(world.ask<Subscribed>(trainer, SubscribeGate{name, conditions, gate, shows, 3600}));
  }
  void finish_after(std::int64_t batches) {
    gate("finish", trigger("after_n_batches", Value{batches}),
         caf::actor_cast<Gate>(world.keep(spawn_finish_after(world.system, "it is enough"))),
         Shows::nothing);
  }
  void start() {
    finished.emplace(world, trainer, Start{});
    world.run();
  }
  const Block& newest() const { return taken->back(); }

  DeterministicSystem& world;
  Trainer trainer;
  std::shared_ptr<std::vector<Block>> taken = std::make_shared<std::vector<Block>>();
  std::optional<Pending<Finished>> finished;
};

/// The parameters of each worker after a number of batches.
/// @param away holders on other nodes; 0: one in the same process
std::vector<Block> trained(const AveragingOptions& options, std::int64_t batches,
                           std::size_t away = 0) {
  RemoteStage stage{std::max<std::size_t>(1, away)};
  auto& world = stage.world;
  std::vector<std::unique_ptr<AveragingWorker>> workers;
  for (Index number = 0; number < options.workers; ++number) {
    const auto holder
      = away > 0 ? stage.remote(static_cast<WorkerId>(number)).holder : stage.holders.front();
    workers.push_back(std::make_unique<AveragingWorker>(world, holder, number, options));
    workers.back()->finish_after(batches);
  }
  for (const auto& worker : workers)
    worker->start();
  world.pass(std::chrono::seconds{options.workers * (batches + 1)}, 1s);
  std::vector<Block> ends;
  for (const auto& worker : workers) {
    REQUIRE(worker->finished->answered());
    CHECK((*worker->finished)->error.empty());
    ends.push_back((*worker->finished)->parameters.values);
  }
  return ends;
}

float farthest(const Block& a, const Block& b) {
  float most = 0;
  for (std::size_t i = 0; i < a.view().size(); ++i)
    most = std::max(most, std::abs(a.view()[i] - b.view()[i]));
  return most;
}

} // namespace

TEST_CASE(
  "workers that average gradients are one worker with a large batch, whatever the optimizer",
  "[gradient_average][L9][L10]") {
  const auto optimizer = GENERATE(Steps::momentum, Steps::adam);
  const auto workers = GENERATE(Index{2}, Index{3});
  const auto one = trained({.batch_size = 24, .optimizer = optimizer}, 12).front();
  const auto many
    = trained({.workers = workers, .batch_size = 24 / workers, .optimizer = optimizer}, 12);
  for (const auto& each : many)
    CHECK(each == many.front()); // to the bit
  CHECK(farthest(many.front(), one) < 2e-5f);
  // The reference for rounding: the same steps with a part of the batch.
  const auto part = trained({.batch_size = 24 / workers, .optimizer = optimizer}, 12).front();
  CHECK(farthest(part, one) > 1e-2f);
}

TEST_CASE("the bits of averaged gradients do not depend on where the holders are",
          "[gradient_average][L8][L9]") {
  const AveragingOptions options{.workers = 3, .batch_size = 8, .optimizer = Steps::adam};
  const auto in_process = trained(options, 6);
  CHECK(trained(options, 6, 1) == in_process);
  CHECK(trained(options, 6, 2) == in_process);
}

TEST_CASE("a disconnected worker continues with the others' parameters once it is back",
          "[gradient_average][L9]") {
  AveragingOptions options{.workers = 2, .batch_size = 12};
  options.sync.optimizer_state = true;
  RemoteStage stage;
  auto near = stage.remote(0), far = stage.remote(1);
  AveragingWorker first{stage.world, near.holder, 0, options};
  AveragingWorker second{stage.world, far.holder, 1, options};
  first.start();
  second.start();
  stage.pass(7s);
  CHECK(second.newest() == first.newest());
  stage.cut(far);
  stage.pass(10s);
  CHECK_FALSE(second.newest() == first.newest());
  stage.mend(far);
  stage.pass(10s);
  CHECK(stage.logged("continues from the shared parameters") == 1);
  CHECK(second.newest() == first.newest());
}

TEST_CASE(
  "a worker that joins late makes the others' update with its first batch, and is with them",
  "[gradient_average][L10][L26]") {
  AveragingOptions options{.workers = 2, .batch_size = 12};
  options.sync.optimizer_state = true; // otherwise it would not have the momentum
  DeterministicSystem world;
  const auto holder = world.keep(spawn_parameter_holder(world.system));
  AveragingWorker first{world, holder, 0, options}, late{world, holder, 1, options};
  first.start();
  world.pass(5s, 1s);
  const auto alone = first.taken->size();
  late.start();
  world.pass(2s, 1s);
  REQUIRE(late.taken->size() == 1);
  CHECK(late.newest() == first.newest());
  world.pass(8s, 1s);
  REQUIRE(late.taken->size() > 3);
  CHECK(first.taken->size() > alone + 3);
  CHECK(late.newest() == first.newest());
}

TEST_CASE("a worker that leaves keeps its last update, which the shared parameters do not have",
          "[gradient_average][L10]") {
  DeterministicSystem world;
  const auto holder = world.keep(spawn_parameter_holder(world.system));
  AveragingWorker worker{world, holder, 0, {}};
  worker.finish_after(4);
  worker.start();
  world.pass(6s, 1s);
  REQUIRE(worker.finished->answered());
  const auto& ends = (*worker.finished)->parameters.values;
  CHECK(ends == worker.newest());
  const auto shared = world.ask<Parameters>(holder, Pull{0});
  REQUIRE(shared);
  const auto size = static_cast<std::size_t>(ends.size());
  CHECK(Block::copy_of(shared->values.view().first(size)) == (*worker.taken)[2]);
}

TEST_CASE("the others continue when a worker that averages gradients leaves",
          "[gradient_average][L9]") {
  DeterministicSystem world;
  const auto holder = world.keep(spawn_parameter_holder(world.system));
  const AveragingOptions options{.workers = 2, .batch_size = 12};
  AveragingWorker first{world, holder, 0, options}, second{world, holder, 1, options};
  second.finish_after(3);
  first.start();
  second.start();
  world.pass(10s, 1s);
  REQUIRE(second.finished->answered());
  CHECK((*first.taken)[2] == second.newest());
  CHECK(first.taken->size() > 5);
}

TEST_CASE("the gradient average is refused without rounds and under a limit",
          "[gradient_average][L12]") {
  DeterministicSystem world;
  const auto holder = world.keep(spawn_parameter_holder(world.system));
  const ToyModel model;
  const auto staleness = GENERATE(Staleness{}, Staleness{3});
  CHECK_THROWS_WITH(
    spawn_shared_params_auto_sync(
      world.system, {.rule = {"gradient_average"}, .staleness = staleness}, holder, model.layout()),
    Catch::Contains("staleness: 0"));
  SharedParamsRateLimitedOptions limited;
  limited.sync = {.rule = {"gradient_average"}, .staleness = in_step};
  CHECK_THROWS_WITH(
    spawn_shared_params_rate_limited(world.system, limited, holder, model.layout(), {}),
    Catch::Contains("use shared_params_auto_sync"));
}

TEST_CASE("a rule triggered at the wrong callback ends training with a message",
          "[gradient_average][L12]") {
  const auto averages = GENERATE(true, false);
  Stage stage;
  const auto holder = stage.world.keep(spawn_parameter_holder(stage.world.system));
  ParameterSyncOptions options{.rule = {averages ? "gradient_average" : "average"},
                               .staleness = in_step};
  const auto sync = stage.world.keep(
    spawn_shared_params_auto_sync(stage.world.system, options, holder, ToyModel{}.layout()));
  stage.gate("sync",
             shared_params_auto_sync_conditions().set_trigger(
               averages ? "after_batch" : "before_update", true),
             sync, Shows::gradients);
  stage.finish_after(3);
  const auto finished = stage.run();
  CHECK(finished.outcome == Outcome::failed);
  CHECK_THAT(finished.error,
             Catch::Contains(averages ? "before_update: true" : "give it another trigger"));
}
