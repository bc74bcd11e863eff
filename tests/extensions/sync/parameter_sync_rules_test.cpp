#include "actors/parameters/parameter_holder.hpp"
#include "extensions/sync/shared_params_auto_sync.hpp"
#include "tests/support/extension_stage.hpp"
#include "tests/support/holder_checks.hpp"

using namespace troupe;
using namespace troupe::test;

namespace {

using Floats = std::vector<float>;

struct WorkerOptions {
  float learning_rate = 1; ///< a step is w <- w - learning_rate (w - 2) / 2
  double momentum = 0;
  float initial = 8;
  double step_duration = 2; ///< seconds
  std::int64_t every = 1;   ///< batches between syncs
  ParameterSyncOptions sync = {};
};

/// One worker of several, and its parameter and momentum after the sync of each batch.
struct Worker {
  Worker(DeterministicSystem& in, const ParameterHolder& holder, WorkerId id, WorkerOptions options)
    : world(in) {
    const auto learner = toy_learner(
      std::make_shared<ToyProblem>(2),
      {.batch_size = 2, .learning_rate = options.learning_rate, .momentum = options.momentum});
    learner->set_parameters(block_of({options.initial}));
    TrainerOptions trainer_options;
    trainer_options.worker = id;
    trainer_options.step_duration = options.step_duration;
    const auto logger = world.keep(spawn_logger(world.system));
    trainer = world.keep(spawn_trainer(world.system, learner, logger, trainer_options));
    const auto sync = world.keep(
      spawn_shared_params_auto_sync(world.system, options.sync, holder, learner->layout()));
    const auto watch = [w = w, m = m](const LoopEvent& event) {
      w->push_back(event.parameters.values.view()[0]);
      m->push_back(event.optimizer_slots.empty() ? 0 : event.optimizer_slots[0].values.view()[0]);
      return GateAnswer{};
    };
    const auto conditions = [](std::int64_t batches) {
      return shared_params_auto_sync_conditions().set_trigger("every_n_batches", Value{batches});
    };
    gate("sync", conditions(options.every), caf::actor_cast<Gate>(sync));
    gate("watch", conditions(1).set_trigger("after_training", false),
         recording_gate(world, new_trace(), "", watch));
  }

  void gate(const std::string& name, const Conditions& conditions, const Gate& gate) {
    REQUIRE(world.ask<Subscribed>(trainer,
                                  SubscribeGate{name, conditions, gate, Shows::optimizer, 3600}));
  }
  void start() {
    finished.emplace(world, trainer, Start{});
    world.run();
  }
  void stop() {
    world.self->send(trainer, Stop{StopLevel::after_batch, "the test is over", false});
    world.run();
  }

  DeterministicSystem& world;
  Trainer trainer;
  std::shared_ptr<Floats> w = std::make_shared<Floats>(), m = std::make_shared<Floats>();
  std::optional<Pending<Finished>> finished;
};

struct Cast {
  DeterministicSystem world;
  ParameterHolder holder = world.keep(spawn_parameter_holder(world.system));
  std::vector<std::unique_ptr<Worker>> workers;

  Worker& add(WorkerOptions options) {
    const auto id = static_cast<WorkerId>(workers.size());
    workers.push_back(std::make_unique<Worker>(world, holder, id, options));
    return *workers.back();
  }
  void start() {
    for (const auto& worker : workers)
      worker->start();
  }
  float shared() {
    const auto pulled = world.ask<Parameters>(holder, Pull{0});
    REQUIRE(pulled);
    return pulled->values.view()[0];
  }
  HolderStatus status() {
    const auto status = world.ask<HolderStatus>(holder, GetHolderStatus{});
    REQUIRE(status);
    return *status;
  }
};

ParameterSyncOptions sync_by(const std::string& rule, Staleness staleness = {}) {
  return {.rule = {rule}, .staleness = staleness};
}

Floats first_of(const Floats& values, std::size_t count) {
  return {values.begin(),
          values.begin() + static_cast<std::ptrdiff_t>(std::min(count, values.size()))};
}

} // namespace

TEST_CASE("two workers in rounds have equal parameters after every sync, as computed by hand",
          "[rounds][L9][L10]") {
  Cast cast;
  const auto average = sync_by("average", in_step);
  auto& first = cast.add({.learning_rate = 1, .sync = average});
  auto& second = cast.add({.learning_rate = 1.5f, .initial = 100, .sync = average});
  first.start();
  cast.world.advance(1s); // they need not arrive at the same time
  second.start();
  cast.world.pass(8s, 1s);
  // 8: 5 and 3.5; 4.25: 3.125 and 2.5625; 2.84375: 2.421875 and 2.2109375
  const Floats expected{8, 4.25f, 2.84375f, 2.31640625f};
  CHECK(first_of(*first.w, 4) == expected);
  CHECK(first_of(*second.w, 4) == expected);
}

TEST_CASE("a worker that joins first starts with the parameters that the main worker has loaded",
          "[T12][T18]") {
  Cast cast;
  ParameterHolderOptions of_two;
  of_two.workers = 2;
  cast.holder = cast.world.keep(spawn_parameter_holder(cast.world.system, of_two));
  const auto average = sync_by("average", in_step);
  auto& main = cast.add({.learning_rate = 1e-30f, .initial = 8, .sync = average});
  auto& other = cast.add({.learning_rate = 1e-30f, .initial = 100, .sync = average});
  other.start();
  cast.world.pass(10s, 1s);
  CHECK(other.w->empty());
  main.start();
  cast.world.pass(8s, 1s);
  CHECK(first_of(*main.w, 3) == Floats{8, 8, 8});
  CHECK(first_of(*other.w, 3) == Floats{8, 8, 8});
}

TEST_CASE("three workers of different speed stay in rounds, and continue when one leaves",
          "[rounds][L9][L10]") {
  Cast cast;
  const auto average = sync_by("average", in_step);
  auto& first = cast.add({.learning_rate = 1, .step_duration = 1, .sync = average});
  auto& second = cast.add({.learning_rate = 1.5f, .step_duration = 4, .sync = average});
  auto& third = cast.add({.learning_rate = 0.5f, .step_duration = 2, .sync = average});
  cast.start();
  cast.world.pass(20s, 1s);
  REQUIRE(first.w->size() >= 5);
  CHECK((*first.w)[1] == Approx(5));   // of 5, 3.5 and 6.5
  CHECK((*first.w)[2] == Approx(3.5)); // of 3.5, 2.75 and 4.25
  CHECK(*first.w == *second.w);
  CHECK(*first.w == *third.w);
  second.stop(); // the slow one
  const auto before = first.w->size();
  cast.world.pass(20s, 1s);
  CHECK(second.finished->answered());
  CHECK(first.w->size() >= before + 8);
  CHECK(*first.w == *third.w);
}

TEST_CASE("elastic averaging pulls workers and shared parameters together, in rounds",
          "[rules][L9][L10][B53]") {
  Cast cast;
  auto elastic = sync_by("easgd", in_step);
  elastic.rule.settings["elasticity"] = 0.25f;
  auto& first = cast.add({.learning_rate = 1, .sync = elastic});
  auto& second = cast.add({.learning_rate = 1.5f, .sync = elastic});
  cast.start();
  cast.world.pass(5s, 1s);
  // S = 8: 5 and 3.5 are drawn to 5.75 and 4.625, S becomes 8 + (-3 - 4.5) / 4 = 6.125
  // then: 3.875 and 2.65625 to 4.4375 and 3.5234375, S = 6.125 + (-2.25 - 3.46875) / 4
  CHECK(*first.w == Floats{8, 5.75f, 4.4375f});
  CHECK(*second.w == Floats{8, 4.625f, 3.5234375f});
  CHECK(cast.shared() == 4.6953125f);
}

TEST_CASE("the outer optimizer steps along the workers' changes since the last sync",
          "[rules][L9][L10]") {
  Cast cast;
  auto outer = sync_by("outer_nesterov", in_step);
  outer.rule.settings = {{"outer_rate", 0.5f}, {"outer_momentum", 0.5f}};
  auto& first = cast.add({.every = 2, .sync = outer});
  auto& second = cast.add({.every = 2, .sync = outer});
  cast.start();
  cast.world.pass(9s, 1s);
  // 8, 5, 3.5: g = v = 4.5, S = 8 - (4.5 + 2.25) / 2 = 4.625
  // 4.625, 3.3125, 2.65625: g = 1.96875, v = 4.21875, S = 4.625 - (1.96875 + 2.109375) / 2
  CHECK(*first.w == Floats{8, 5, 4.625f, 3.3125f, 2.5859375f});
  CHECK(*second.w == *first.w);
}

TEST_CASE("downpour pushes the changes since the last sync when the worker leaves",
          "[rules][L9][L10][B53]") {
  Cast cast;
  const auto downpour = sync_by("downpour");
  auto& first = cast.add({.every = 2, .sync = downpour});
  auto& second = cast.add({.every = 2, .sync = downpour});
  cast.start();
  cast.world.pass(5s, 1s);
  // Each goes 8, 5, 3.5 and pushes -4.5: one goes on from 3.5, the other from -1.
  CHECK(cast.shared() == -1);
  first.stop();
  second.stop();
  cast.world.pass(4s, 1s);
  REQUIRE((first.finished->answered() && second.finished->answered()));
  // From 3.5 to 2.75 and from -1 to 0.5: -1 - 0.75 + 1.5
  CHECK(cast.shared() == -0.25f);
  const auto status = cast.status();
  CHECK(status.pushes == 4);
  CHECK(status.workers.empty());
}

TEST_CASE("with other rules, too, a leaving worker first syncs its changes since the last sync",
          "[rules][L9][L10]") {
  Cast cast;
  auto& worker = cast.add({.every = 2, .sync = sync_by("average")});
  worker.start();
  cast.world.pass(5s, 1s);
  CHECK(cast.shared() == 3.5f);
  worker.stop();
  cast.world.pass(4s, 1s);
  REQUIRE(worker.finished->answered());
  CHECK((*worker.finished)->parameters.values == block_of({2.75f})); // its third batch
  CHECK(cast.status().pushes == 2);
  CHECK(cast.status().workers.empty());
}

TEST_CASE("the last sync of elastic workers in rounds is a round, and both take its result",
          "[rules][L9][L10][B53]") {
  Cast cast;
  auto elastic = sync_by("easgd", in_step);
  elastic.rule.settings["elasticity"] = 0.25f;
  auto& first = cast.add({.every = 2, .sync = elastic});
  auto& second = cast.add({.every = 2, .sync = elastic});
  cast.start();
  cast.world.pass(5s, 1s);
  first.stop();
  second.stop();
  cast.world.pass(4s, 1s);
  REQUIRE((first.finished->answered() && second.finished->answered()));
  // 8, 5, 3.5: S = 8 - 2 * 4.5 / 4 = 5.75 and both are drawn to 4.625; 3.3125: S = 5.75 - 2
  // * 2.4375 / 4
  CHECK((*first.finished)->parameters.values == block_of({4.53125f}));
  CHECK((*second.finished)->parameters.values == block_of({4.53125f}));
}

TEST_CASE("a worker without changes since its last sync pushes nothing when it leaves",
          "[rules][L9][L10]") {
  Cast cast;
  auto& worker = cast.add({.sync = sync_by("average")});
  worker.start();
  cast.world.pass(5s, 1s);
  worker.stop();
  cast.world.pass(4s, 1s);
  REQUIRE(worker.finished->answered());
  CHECK(cast.status().pushes == worker.w->size() - 1); // the first is its initial value
}

TEST_CASE("a worker that never synced leaves with its own parameters, and pushes nothing",
          "[rules][L9][L11]") {
  Cast cast;
  auto& worker = cast.add({.every = 1000, .sync = sync_by("average")});
  worker.start();
  cast.world.pass(5s, 1s);
  worker.stop();
  cast.world.pass(4s, 1s);
  REQUIRE(worker.finished->answered());
  CHECK((*worker.finished)->parameters.values == block_of({2.75f}));
  CHECK(cast.shared() == 8);
  CHECK(cast.status().pushes == 0);
}

TEST_CASE("the optimizer's momentum is synced like the parameters", "[L10][L26]") {
  const auto shared = GENERATE(true, false);
  Cast cast;
  auto average = sync_by("average", in_step);
  average.optimizer_state = shared;
  auto& first = cast.add({.learning_rate = 1, .momentum = 0.5, .sync = average});
  auto& second = cast.add({.learning_rate = 0.5f, .momentum = 0.5, .sync = average});
  cast.start();
  cast.world.pass(13s, 1s);
  double S = 8, momentum[2] = {0, 0};
  const double rate[2] = {1, 0.5};
  REQUIRE(first.w->size() >= 6);
  for (std::size_t batch = 1; batch < 6; ++batch) {
    double w[2];
    for (auto i : {0, 1}) { // torch's momentum: m <- mu m + g, w <- w - alpha m
      momentum[i] = 0.5 * momentum[i] + (S - 2) / 2;
      w[i] = S - rate[i] * momentum[i];
    }
    S = (w[0] + w[1]) / 2;
    if (shared)
      momentum[0] = momentum[1] = (momentum[0] + momentum[1]) / 2;
    CHECK((*first.w)[batch] == Approx(S));
    CHECK((*second.w)[batch] == (*first.w)[batch]);
    CHECK((*first.m)[batch] == Approx(momentum[0]));
    CHECK((*second.m)[batch] == Approx(momentum[1]));
  }
  CHECK(cast.status().versions.contains("w_momentum") == shared);
}

TEST_CASE("a worker that joins late also takes the others' momentum", "[L10][L26]") {
  Cast cast;
  auto options = sync_by("average");
  options.optimizer_state = true;
  auto& first = cast.add({.momentum = 0.5, .sync = options});
  auto& late = cast.add({.momentum = 0.5, .initial = 100, .sync = options});
  first.start();
  cast.world.pass(5s, 1s);
  late.start();
  REQUIRE(late.w->size() == 1);
  CHECK(late.w->front() == first.w->back());
  CHECK(late.m->front() == first.m->back());
  CHECK(late.m->front() == 3); // 3, then 3 / 2 + (5 - 2) / 2
}

TEST_CASE("with unbounded staleness a worker neither waits nor delays others",
          "[staleness][L9][L10]") {
  Cast cast;
  const auto average = sync_by("average", in_step);
  auto& first = cast.add({.learning_rate = 1, .sync = average});
  auto& second = cast.add({.learning_rate = 1.5f, .sync = average});
  auto& free = cast.add({.step_duration = 7, .sync = sync_by("alpha_beta")});
  cast.start();
  cast.world.pass(36s, 1s);
  CHECK(*first.w == *second.w);
  CHECK(free.w->size() == 6);       // joined, and at 7, 14, 21, 28 and 35 s
  CHECK(first.w->size() >= 1 + 13); // the first round waits until that worker's staleness is known
  CHECK(cast.status().journal.at(2) == std::vector<std::uint64_t>{5});
}

TEST_CASE("a fast worker is at most its staleness ahead of a slow one", "[staleness][L9][L10]") {
  Cast cast;
  const auto bounded = sync_by("average", {2});
  auto& fast = cast.add({.step_duration = 1, .sync = bounded});
  auto& slow = cast.add({.step_duration = 5, .sync = bounded});
  cast.start();
  for (int second = 0; second < 40; ++second) {
    cast.world.advance(1s);
    CHECK(fast.w->size() <= slow.w->size() + 2);
  }
  CHECK(slow.w->size() == 9); // it never waited
  CHECK(fast.w->size() == 11);
}
