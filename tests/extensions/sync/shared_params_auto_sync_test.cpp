#include "actors/parameters/parameter_holder.hpp"
#include "extensions/sync/shared_params_auto_sync.hpp"
#include "tests/support/extension_doubles.hpp"
#include "tests/support/extension_stage.hpp"
#include "tests/support/holder_checks.hpp"

using namespace troupe;
using namespace troupe::test;

namespace {

constexpr double for_ever = 1e6;

Conditions each_batch() {
  return shared_params_auto_sync_conditions().set_trigger("every_n_batches",
                                                          Value{std::int64_t{1}});
}

/// One worker of several: a trainer with its own learning rate, and its parameter after each sync.
struct AutoWorker {
  AutoWorker(DeterministicSystem& in, const ParameterHolder& holder, WorkerId id,
             float learning_rate, float initial, const Conditions& conditions = each_batch(),
             ParameterSyncOptions options = {})
    : world(in) {
    // Rows 0 and 1: a step is w <- w - learning_rate (w - 2) / 2.
    const auto learner = toy_learner(std::make_shared<ToyProblem>(2),
                                     {.batch_size = 2, .learning_rate = learning_rate});
    learner->set_parameters(Block::copy_of(std::vector<float>{initial}));
    TrainerOptions trainer_options;
    trainer_options.worker = id;
    trainer_options.step_duration = 2;
    logger = world.keep(spawn_logger(world.system));
    trainer = world.keep(spawn_trainer(world.system, learner, logger, trainer_options));
    sync
      = world.keep(spawn_shared_params_auto_sync(world.system, options, holder, learner->layout()));
    gate("sync", conditions, caf::actor_cast<Gate>(sync), 3600);
    const auto watch = [w = w](const LoopEvent& event) {
      w->push_back(event.parameters.values.view()[0]);
      return GateAnswer{};
    };
    gate("watch", each_batch().set_trigger("after_training", false),
         recording_gate(world, new_trace(), "", watch), 3600);
  }

  void gate(const std::string& name, const Conditions& conditions, const Gate& gate,
            double deadline) {
    REQUIRE(world.ask<Subscribed>(
      trainer, SubscribeGate{name, conditions, gate, Shows::parameters, deadline}));
  }

  void start() { finished.emplace(world, trainer, Start{}); }
  void stop() {
    world.self->send(trainer, Stop{StopLevel::after_batch, "the test is over", false});
    world.run();
  }
  Records row(Step batch) {
    const auto row = world.ask<Row>(logger, ReadRow{{0, batch}, false});
    return row ? row->records : Records{};
  }

  DeterministicSystem& world;
  Logger logger;
  Trainer trainer;
  Extension sync;
  /// The worker's parameter after joining and after the sync of each batch.
  std::shared_ptr<std::vector<float>> w = std::make_shared<std::vector<float>>();
  std::optional<Pending<Finished>> finished;
};

HolderStatus status_of(DeterministicSystem& world, const ParameterHolder& holder) {
  const auto status = world.ask<HolderStatus>(holder, GetHolderStatus{});
  REQUIRE(status);
  return *status;
}

ParameterHolder real_holder(DeterministicSystem& world) {
  return world.keep(spawn_parameter_holder(world.system));
}

} // namespace

TEST_CASE("two workers' values follow the sequence computed by hand", "[auto_sync][L10]") {
  DeterministicSystem world;
  const auto holder = real_holder(world);
  // With alpha = beta = 1/2. AutoWorker 0 steps w <- w / 2 + 1, worker 1 w <- w / 4 + 3 / 2.
  AutoWorker first{world, holder, 0, 1.0f, 8};
  AutoWorker second{world, holder, 1, 1.5f, 100};
  first.start();
  world.advance(1s);
  second.start();
  world.pass(4s, 1s);
  // shared  worker 0: step, sync  worker 1: step, sync
  // 8       8
  //                               8             t = 1
  // 6.5     5, 6.5                              t = 2
  // 5                             3.5, 5        t = 3
  // 4.625   4.25, 4.625                         t = 4
  // 3.6875                        2.75, 3.6875  t = 5
  CHECK(*first.w == std::vector<float>{8, 6.5, 4.625});
  CHECK(*second.w == std::vector<float>{8, 5, 3.6875});
  CHECK(status_of(world, holder).pushes == 4);
}

TEST_CASE("the weights of shared and own parameters are options", "[auto_sync][L10]") {
  DeterministicSystem world;
  const auto holder = real_holder(world);
  AutoWorker worker{world,
                    holder,
                    0,
                    1.0f,
                    8,
                    each_batch(),
                    {.rule = {"alpha_beta", {{"alpha", 0.75f}, {"beta", 0.25f}}}}};
  worker.start();
  world.pass(4s, 1s);
  CHECK(*worker.w
        == std::vector<float>{8, 7.25, 6.59375}); // 0.75 8 + 0.25 5, 0.75 7.25 + 0.25 4.625
}

TEST_CASE("a worker that joins late gets the current value, not the initial one",
          "[auto_sync][L10]") {
  DeterministicSystem world;
  const auto holder = real_holder(world);
  AutoWorker first{world, holder, 0, 1.0f, 8};
  AutoWorker late{world, holder, 1, 1.0f, 100};
  first.start();
  world.pass(4s, 1s);
  late.start();
  world.run();
  CHECK(*late.w
        == std::vector<float>{5.375}); // alone the first one went 8, (8 + 5) / 2, (6.5 + 4.25) / 2
}

TEST_CASE("without a trigger nothing is pushed after the worker has joined", "[auto_sync][L11]") {
  DeterministicSystem world;
  const auto holder = real_holder(world);
  AutoWorker worker{world, holder, 0, 1.0f, 8, shared_params_auto_sync_conditions()};
  worker.start();
  world.pass(20s, 1s);
  worker.stop();
  world.pass(2s, 1s);
  REQUIRE(worker.finished->answered());
  CHECK(status_of(world, holder).pushes == 0);
  CHECK(worker.w->back() == Approx(2).epsilon(0.01)); // it trained alone
}

TEST_CASE("workers with different models cannot join one holder", "[auto_sync][L12]") {
  DeterministicSystem world;
  const auto holder = real_holder(world);
  Layout other;
  other.add("w", {3});
  REQUIRE(world.ask<Joined>(holder, join_of(7, other)));
  AutoWorker worker{world, holder, 0, 1.0f, 8};
  worker.start();
  world.run();
  REQUIRE(worker.finished->answered());
  CHECK((*worker.finished)->outcome == Outcome::failed);
  CHECK_THAT((*worker.finished)->error,
             Catch::Contains("trains another model") && Catch::Contains("'w'"));
}

TEST_CASE("without the timing log a sync writes no records", "[auto_sync][L13]") {
  DeterministicSystem world;
  AutoWorker worker{world, real_holder(world), 0, 1.0f, 8};
  worker.start();
  world.pass(2s, 1s);
  CHECK(worker.row(1).empty());
}

TEST_CASE("the timing log has the begin, end and duration of a sync", "[auto_sync][L13]") {
  DeterministicSystem world;
  const auto holder = slow_holder(world, std::make_shared<double>(0.25));
  AutoWorker worker{world, holder, 0, 1.0f, 8, each_batch(), {.timing_log = true}};
  worker.start();
  world.pass(3s, 250ms);
  const auto row = worker.row(1);
  CHECK(number_in(row, "param_sync_start") == Approx(2));
  CHECK(number_in(row, "param_sync_end") == Approx(2.25));
  CHECK(number_in(row, "param_sync_duration") == Approx(0.25));
}

TEST_CASE("the duration of a sync is never negative", "[auto_sync][L13]") {
  DeterministicSystem world;
  AutoWorker worker{world, real_holder(world), 0, 1.0f, 8, each_batch(), {.timing_log = true}};
  worker.start();
  world.pass(10s, 1s);
  for (Step batch = 1; batch <= 5; ++batch) {
    const auto row = worker.row(batch);
    CHECK(number_in(row, "param_sync_duration") >= 0);
    CHECK(number_in(row, "param_sync_duration")
          == number_in(row, "param_sync_end") - number_in(row, "param_sync_start"));
  }
}

TEST_CASE("a worker leaves when training ends", "[auto_sync]") {
  DeterministicSystem world;
  const auto holder = real_holder(world);
  AutoWorker worker{world, holder, 4, 1.0f, 8};
  worker.start();
  world.advance(1s);
  CHECK(status_of(world, holder).workers == std::vector<WorkerId>{4});
  worker.stop();
  world.pass(2s, 1s);
  CHECK(status_of(world, holder).workers.empty());
}

TEST_CASE("a holder that does not answer ends training at the deadline, with a message",
          "[auto_sync][L10]") {
  DeterministicSystem world;
  const auto holder = slow_holder(world, std::make_shared<double>(for_ever));
  AutoWorker worker{world, holder, 0, 1.0f, 8, each_batch(), {.deadline = 5}};
  worker.start();
  world.pass(6s, 1s);
  CHECK_FALSE(worker.finished->answered());
  world.advance(1s);
  REQUIRE(worker.finished->answered());
  CHECK((*worker.finished)->outcome == Outcome::failed);
  CHECK_THAT((*worker.finished)->error, Catch::Contains("'sync'")
                                          && Catch::Contains("parameter holder")
                                          && Catch::Contains("5s") && Catch::Contains("batch 1"));
}

TEST_CASE("without a deadline a worker waits for the holder", "[auto_sync][L10]") {
  DeterministicSystem world;
  const auto holder = slow_holder(world, std::make_shared<double>(for_ever));
  constexpr auto endless = std::numeric_limits<double>::infinity();
  AutoWorker worker{world, holder, 0, 1.0f, 8, each_batch(), {.deadline = endless}};
  worker.start();
  world.pass(10min, 1s);
  CHECK_FALSE(worker.finished->answered());
}

TEST_CASE("workers in rounds or with bounded staleness wait for a slow worker without a limit",
          "[auto_sync][rounds][L10]") {
  const Staleness staleness{GENERATE(0, 1)};
  DeterministicSystem world;
  const auto holder = real_holder(world);
  AutoWorker worker{
    world, holder, 0, 1.0f, 8, each_batch(), {.staleness = staleness, .deadline = 5}};
  const auto joined = world.ask<Joined>(holder, join_of(1, ToyModel{}.layout()));
  REQUIRE(joined);
  worker.start();
  world.pass(20min, 1s); // it validates
  CHECK_FALSE(worker.finished->answered());
  const auto batches = worker.w->size();
  CHECK(batches == (staleness.synchronous() ? 1 : 2)); // the first is that of the start
  Push push;
  push.id = {1, joined->incarnation, 1};
  push.staleness = staleness;
  push.values = block_of({2});
  const Pending<Parameters> pushed{world, holder, Exchange{push}};
  world.pass(10s, 1s);
  CHECK(pushed.answered());
  CHECK(worker.w->size() == batches + 1);
  CHECK_FALSE(worker.finished->answered());
}

TEST_CASE("a holder that ends while a round waits ends training with a message",
          "[auto_sync][rounds][L10]") {
  DeterministicSystem world;
  const auto holder = real_holder(world);
  AutoWorker worker{world, holder, 0, 1.0f, 8, each_batch(), {.staleness = in_step}};
  REQUIRE(world.ask<Joined>(holder, join_of(1, ToyModel{}.layout())));
  worker.start();
  world.pass(10min, 1s);
  CHECK_FALSE(worker.finished->answered());
  world.self->send_exit(holder, caf::exit_reason::user_shutdown);
  world.pass(10s, 1s);
  REQUIRE(worker.finished->answered());
  CHECK((*worker.finished)->outcome == Outcome::failed);
  CHECK_THAT((*worker.finished)->error,
             Catch::Contains("the parameter holder has ended without an answer to Exchange"));
}

TEST_CASE("a holder that has ended ends training with a message", "[auto_sync][L10]") {
  DeterministicSystem world;
  const auto holder = real_holder(world);
  AutoWorker worker{world, holder, 0, 1.0f, 8};
  worker.start();
  world.advance(1s);
  world.self->send_exit(holder, caf::exit_reason::kill);
  world.advance(1s);
  REQUIRE(worker.finished->answered());
  CHECK((*worker.finished)->outcome == Outcome::failed);
  CHECK_THAT((*worker.finished)->error, Catch::Contains("parameter holder"));
}

TEST_CASE("invalid weights and deadlines are refused", "[auto_sync][L10]") {
  DeterministicSystem world;
  const auto spawned = [&](ParameterSyncOptions options) {
    spawn_shared_params_auto_sync(world.system, options, real_holder(world), ToyModel{}.layout());
  };
  CHECK_THROWS_WITH(
    spawned({.rule = {"alpha_beta", {{"alpha", std::numeric_limits<float>::infinity()}}}}),
    Catch::Contains("finite"));
  CHECK_THROWS_WITH(spawned({.deadline = 0}), Catch::Contains("positive"));
}
