// Workers that exchange fragments of their parameters, and train on meanwhile.
#include "actors/parameters/parameter_holder.hpp"
#include "extensions/sync/shared_params_auto_sync.hpp"
#include "extensions/sync/shared_params_rate_limited.hpp"
#include "extensions/sync/sync_defects.hpp"
#include "tests/support/remote_holder_stage.hpp"

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

ParameterSyncOptions options_of(const std::string& rule, Staleness staleness, int fragments,
                                bool overlap) {
  ParameterSyncOptions options;
  options.rule.name = rule;
  options.staleness = staleness;
  options.fragments = fragments;
  options.overlap = overlap;
  return options;
}

/// A worker whose gate the test asks. It joins at once.
struct AskedWorker {
  AskedWorker(DeterministicSystem& in, const ParameterHolder& holder, WorkerId number,
              const ParameterSyncOptions& options, HolderFate fate = HolderFate::outlives_run)
    : world(in),
      number(number),
      sync(world.keep(
        spawn_shared_params_auto_sync(world.system, options, holder, holder_layout(), fate))) {}

  Pending<GateAnswer> at(Callback callback, const Block& parameters) {
    LoopEvent event;
    event.callback = callback;
    event.worker = number;
    event.position.batches = callback == Callback::before_training ? 0 : ++batches;
    event.parameters = {event.position.batches, parameters};
    event.done = callback == Callback::after_training;
    return {world, sync, AskGate{event, {}}};
  }
  void join(float parameters) {
    const auto joined = at(Callback::before_training, constant(parameters));
    world.run();
    REQUIRE(joined.answered());
  }
  /// The gate's parameters; empty: the worker keeps its own.
  Block sync_with(const Block& parameters) {
    const auto asked = at(Callback::after_batch, parameters);
    world.run();
    REQUIRE(asked.answered());
    return asked->parameters;
  }

  DeterministicSystem& world;
  WorkerId number;
  Extension sync;
  Step batches = 0;
};

/// The first fragment of two, then the second.
Block halves(float first, float second) {
  std::vector<float> values(16, first);
  values.resize(24, second);
  return block_of(values);
}

struct Pair {
  explicit Pair(const ParameterSyncOptions& options)
    : holder(world.keep(spawn_parameter_holder(world.system))),
      one(world, holder, 0, options),
      two(world, holder, 1, options) {
    one.join(0);
    two.join(0);
  }
  Block shared() {
    const auto pulled = world.ask<Parameters>(holder, Pull{0});
    REQUIRE(pulled);
    return pulled->values;
  }
  std::uint64_t pushes() { return world.ask<HolderStatus>(holder, GetHolderStatus{})->pushes; }

  DeterministicSystem world;
  ParameterHolder holder;
  AskedWorker one, two;
};

} // namespace

TEST_CASE("a worker trains on while a round is exchanged, and adds what it has learned meanwhile",
          "[overlap]") {
  Pair pair{options_of("average", in_step, 1, true)};
  CHECK(pair.one.sync_with(constant(2)).empty()); // it waits for no one
  CHECK(pair.two.sync_with(constant(4)).empty());
  CHECK(pair.shared() == constant(3));
  CHECK(pair.one.sync_with(constant(5)) == constant(6)); // 3 + (5 - 2)
  CHECK(pair.two.sync_with(constant(4)) == constant(3)); // 3 + (4 - 4)
  CHECK(pair.shared() == constant(4.5));                 // of 6 and 3
}

TEST_CASE("a result that is not there at the next sync is waited for", "[overlap]") {
  Pair pair{options_of("average", in_step, 1, true)};
  pair.one.sync_with(constant(2));
  const auto waiting = pair.one.at(Callback::after_batch, constant(3));
  pair.world.run();
  CHECK_FALSE(waiting.answered());
  pair.two.sync_with(constant(4));
  pair.world.run();
  REQUIRE(waiting.answered());
  CHECK(waiting->parameters == constant(4)); // 3 + (3 - 2)
}

TEST_CASE("fragments are exchanged in turn", "[overlap]") {
  const auto overlap = GENERATE(false, true);
  Pair pair{options_of("average", unbounded, 2, overlap)};
  pair.one.sync_with(constant(2));
  CHECK(pair.shared() == halves(2, 0));
  pair.one.sync_with(constant(3));
  CHECK(pair.shared() == halves(2, 3));
  pair.one.sync_with(constant(4));
  CHECK(pair.shared() == halves(4, 3));
}

TEST_CASE("a worker takes the fragment that it has exchanged, and keeps the others", "[overlap]") {
  Pair pair{options_of("average", in_step, 2, false)};
  const auto one = pair.one.at(Callback::after_batch, constant(2));
  const auto two = pair.two.at(Callback::after_batch, constant(4));
  pair.world.run();
  REQUIRE(one.answered());
  REQUIRE(two.answered());
  CHECK(one->parameters == halves(3, 2));
  CHECK(two->parameters == halves(3, 4));
}

TEST_CASE("a worker that joins rounds later exchanges the same fragment as the others",
          "[overlap]") {
  DeterministicSystem world;
  const auto holder = world.keep(spawn_parameter_holder(world.system));
  const auto options = options_of("average", in_step, 2, false);
  AskedWorker early{world, holder, 0, options};
  early.join(0);
  early.sync_with(constant(2));
  AskedWorker late{world, holder, 1, options};
  late.join(9);
  const auto one = early.at(Callback::after_batch, halves(2, 4));
  const auto two = late.at(Callback::after_batch, halves(2, 8));
  world.run();
  REQUIRE(one.answered());
  CHECK(one->parameters == halves(2, 6));
  REQUIRE(two.answered());
  CHECK(two->parameters == halves(2, 6));
}

TEST_CASE("steps are added once each, in flight or not, and the last ones at the end",
          "[overlap]") {
  const auto fragments = GENERATE(1, 2);
  Pair pair{options_of("downpour", unbounded, fragments, true)};
  // Worker 0 learns 1 between two syncs, worker 1 learns 10.
  auto one = constant(1), two = constant(10);
  const auto plus = [](const Block& block, float change) {
    auto values = floats_of(block);
    for (auto& value : values)
      value += change;
    return block_of(values);
  };
  const auto taken
    = [](const Block& own, const Block& answer) { return answer.empty() ? own : answer; };
  for (int round = 0; round < 5; ++round) {
    one = plus(taken(one, pair.one.sync_with(one)), 1);
    two = plus(taken(two, pair.two.sync_with(two)), 10);
  }
  const auto first = pair.one.at(Callback::after_training, one);
  pair.world.run();
  REQUIRE(first.answered());
  const auto last = pair.two.at(Callback::after_training, two);
  pair.world.run();
  REQUIRE(last.answered());
  CHECK(last->parameters == constant(6 * 1 + 6 * 10));
  CHECK(pair.shared() == constant(66));
}

TEST_CASE("workers that end in rounds exchange all fragments, after what is in flight",
          "[overlap]") {
  const auto overlap = GENERATE(false, true);
  Pair pair{options_of("average", in_step, 2, overlap)};
  const auto one = pair.one.at(Callback::after_batch, constant(2));
  const auto two = pair.two.at(Callback::after_batch, constant(4));
  pair.world.run();
  REQUIRE(one.answered());
  REQUIRE(two.answered());
  const auto mine = overlap ? constant(2) : one->parameters;
  const auto others = overlap ? constant(4) : two->parameters;
  const auto first = pair.one.at(Callback::after_training, mine);
  const auto second = pair.two.at(Callback::after_training, others);
  pair.world.run();
  REQUIRE(first.answered());
  REQUIRE(second.answered());
  CHECK(first->parameters == constant(3));
  CHECK(second->parameters == constant(3));
  CHECK(pair.pushes() == 2 * 3);
}

TEST_CASE("with several holders each keeps its part of each fragment", "[overlap][shards]") {
  const auto shards = GENERATE(1u, 2u, 3u);
  RemoteStage stage{shards};
  RemoteHolderOptions connection;
  connection.worker = 0;
  connection.workers = 1;
  connection.lease = 5;
  connection.logger = stage.logger();
  auto remote = stage.remote(connection);
  AskedWorker worker{stage.world, remote.holder, 0, options_of("downpour", unbounded, 2, true)};
  const auto at = [&](Callback callback, const Block& parameters) {
    const auto asked = worker.at(callback, parameters);
    stage.pass(1s);
    REQUIRE(asked.answered());
    return asked->parameters;
  };
  at(Callback::before_training, constant(0));
  CHECK(at(Callback::after_batch, constant(1)).empty());
  CHECK(at(Callback::after_batch, constant(3)) == constant(3));
  // The answer to the next push is lost: it is repeated, and added once.
  for (const auto& far : remote.far)
    far->deliveries = [happened = false](const std::string& message) mutable {
      Delivery delivery;
      delivery.answered = message != "Exchange" || std::exchange(happened, true);
      return delivery;
    };
  CHECK(at(Callback::after_batch, constant(4)) == constant(4));
  stage.cut(remote);
  stage.pass(3s);
  stage.mend(remote);
  stage.pass(3s);
  at(Callback::after_batch, constant(6));
  CHECK(at(Callback::after_training, constant(7)) == constant(7));
}

TEST_CASE("what fragments and overlap do not go with is refused with a cure", "[overlap]") {
  const auto refused = [](const ParameterSyncOptions& options) {
    try {
      check(options);
      check(options, holder_layout());
    } catch (const std::invalid_argument& e) {
      return std::string{e.what()};
    }
    return std::string{};
  };
  CHECK(refused(options_of("average", in_step, 2, true)).empty());
  CHECK_THAT(refused(options_of("average", in_step, 0, false)), Contains("fragments is 0; give 1"));
  CHECK_THAT(refused(options_of("average", in_step, 3, false)), Contains("give at most 2"));
  CHECK_THAT(refused(options_of("gradient_average", in_step, 1, true)),
             Contains("overlap does not go with the rule gradient_average"));
  CHECK_THAT(refused(options_of("average", Staleness{2}, 1, true)),
             Contains("already a staleness of one sync"));
  auto with_state = options_of("average", in_step, 2, false);
  with_state.optimizer_state = true;
  CHECK_THAT(refused(with_state), Contains("leave out optimizer_state"));
  SharedParamsRateLimitedOptions limited;
  limited.sync.fragments = 2;
  CHECK_THROWS_WITH(check(limited), Contains("use shared_params_auto_sync"));
}

TEST_CASE("overlap is refused for the workers of one process", "[overlap]") {
  const auto options = options_of("average", in_step, 1, true);
  ConfiguredExtension self;
  self.name = "shared_params_auto_sync";
  const auto defects = sync_defects(options, self, {.workers = 2, .one_process = true});
  REQUIRE(defects.size() == 1);
  CHECK_THAT(defects.front(), Contains("troupe launch"));
  CHECK(sync_defects(options, self, {.workers = 2}).empty());
}
