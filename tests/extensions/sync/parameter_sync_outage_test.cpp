// A syncing worker during an outage of the connection to a distant holder.
#include "extensions/sync/shared_params_auto_sync.hpp"
#include "tests/support/remote_holder_stage.hpp"

using namespace troupe;
using namespace troupe::test;

namespace {

RemoteHolderOptions connection_of(RemoteStage& stage, WorkerId worker) {
  RemoteHolderOptions options;
  options.worker = worker;
  options.workers = worker + 1;
  options.lease = 5; // the holder does not count the worker as lost
  options.logger = stage.logger();
  return options;
}

AskGate asked(Callback callback, WorkerId worker, Step batches, float parameters) {
  LoopEvent event;
  event.callback = callback;
  event.worker = worker;
  event.position.batches = batches;
  event.parameters = {batches, constant(parameters)};
  event.done = callback == Callback::after_training;
  return {event, {}};
}

/// A worker that syncs over its own connection, driven by the test.
struct SyncingWorker {
  RemoteStage& stage;
  WorkerId number = 0;
  ParameterSyncOptions options = {};
  RemoteStage::Remote remote = stage.remote(connection_of(stage, number));
  Extension sync = stage.world.keep(spawn_shared_params_auto_sync(
    stage.world.system, options, remote.holder, holder_layout(), HolderFate::outlives_run));
  Step batches = 0;

  Pending<GateAnswer> at(Callback callback, float parameters) {
    return {stage.world, sync, asked(callback, number, ++batches, parameters)};
  }
};

/// A connection that records pushes, leaves a residual equal to the push's sequence number, and is
/// unreachable for the second push.
ParameterHolder keeping_connection(DeterministicSystem& world,
                                   std::shared_ptr<std::vector<Push>> pushes) {
  return world.keep(caf::actor_cast<ParameterHolder>(world.system.spawn([=]() -> caf::behavior {
    return {
      [](const Join&) {
        return Joined{1, true};
      },
      [](const CreateIfAbsent&) {
        Parameters settled;
        settled.values = constant(0);
        return settled;
      },
      [=](const Exchange& exchange) -> caf::result<Parameters> {
        pushes->push_back(exchange.push);
        if (pushes->size() == 2)
          return fail(Error::unavailable, "the holder is unreachable");
        Parameters settled;
        settled.values = constant(10);
        settled.residual = constant(static_cast<float>(exchange.push.id.number));
        return settled;
      },
    };
  })));
}

/// The first exchange is applied, and its answer is lost.
Deliveries unanswered_exchange() {
  return [happened = false](const std::string& message) mutable {
    Delivery delivery;
    delivery.answered = message != "Exchange" || std::exchange(happened, true);
    return delivery;
  };
}

ParameterSyncOptions downpour() {
  ParameterSyncOptions options;
  options.rule.name = "downpour";
  return options;
}

} // namespace

TEST_CASE("downpour adds an applied but unanswered push once, and the later changes", "[R7][R9]") {
  const auto shards = GENERATE(1u, 2u);
  RemoteStage stage{shards};
  SyncingWorker worker{stage, 0, downpour()};
  const auto joined = worker.at(Callback::before_training, 0);
  stage.pass(1s);
  REQUIRE(joined.answered());
  for (const auto& far : worker.remote.far)
    far->deliveries = unanswered_exchange();
  const auto first = worker.at(Callback::after_batch, 1);
  stage.cut(worker.remote);
  stage.pass(3s);
  REQUIRE(first.answered());
  CHECK(first->parameters.empty()); // it continues alone
  const auto meanwhile = worker.at(Callback::after_batch, 3);
  stage.pass(1s);
  REQUIRE(meanwhile.answered());
  CHECK(meanwhile->parameters.empty());
  stage.mend(worker.remote);
  stage.pass(3s);
  const auto last = GENERATE(false, true);
  const auto next = worker.at(last ? Callback::after_training : Callback::after_batch, 7);
  stage.pass(1s);
  REQUIRE(next.answered());
  CHECK(next->parameters == constant(7));
  for (const auto& holder : stage.holders)
    CHECK(stage.world.ask<HolderStatus>(holder, GetHolderStatus{})->pushes == 2);
  if (last)
    return;
  const auto then = worker.at(Callback::after_batch, 8);
  stage.pass(1s);
  REQUIRE(then.answered());
  CHECK(then->parameters == constant(8));
}

TEST_CASE("a residual is repeated with its push, and not with the next one", "[residual][R7][R9]") {
  DeterministicSystem world;
  const auto pushes = std::make_shared<std::vector<Push>>();
  const auto sync = world.keep(
    spawn_shared_params_auto_sync(world.system, downpour(), keeping_connection(world, pushes),
                                  holder_layout(), HolderFate::outlives_run));
  const auto sync_at = [&](Callback callback, Step batches, float parameters) {
    return bool{world.ask<GateAnswer>(sync, asked(callback, 0, batches, parameters))};
  };
  REQUIRE(sync_at(Callback::before_training, 0, 0));
  REQUIRE(sync_at(Callback::after_batch, 1, 1));
  REQUIRE(sync_at(Callback::after_batch, 2, 12));
  REQUIRE(sync_at(Callback::after_batch, 3, 15));
  REQUIRE(pushes->size() == 4);
  const auto &first = pushes->at(1), &again = pushes->at(2), &next = pushes->at(3);
  CHECK(first.id.number == 2);
  CHECK(first.values == constant(2));
  CHECK(first.residual == constant(1));
  CHECK(again == first);
  CHECK(next.id.number == 3);
  CHECK(next.values == constant(3));
  CHECK(next.residual == constant(2));
}

TEST_CASE("an unanswered push is void if the holder no longer knows the worker", "[R7][L9]") {
  RemoteStage stage;
  SyncingWorker worker{stage, 0, downpour()};
  const auto joined = worker.at(Callback::before_training, 0);
  stage.pass(1s);
  worker.remote.far.front()->deliveries = unanswered_exchange();
  const auto first = worker.at(Callback::after_batch, 1);
  stage.cut(worker.remote);
  stage.pass(30s);
  stage.mend(worker.remote);
  stage.pass(5s);
  const auto next = worker.at(Callback::after_batch, 3);
  stage.pass(1s);
  REQUIRE(next.answered());
  CHECK(next->parameters == constant(1));
  const auto then = worker.at(Callback::after_batch, 4);
  stage.pass(1s);
  REQUIRE(then.answered());
  CHECK(then->parameters == constant(4));
}

TEST_CASE("a worker that waits for the main one's parameters waits through an outage of the holder",
          "[create][R7][R20]") {
  RemoteStage stage;
  SyncingWorker worker{stage, 1};
  const auto joined = worker.at(Callback::before_training, 7);
  stage.pass(5s);
  stage.cut(worker.remote);
  stage.pass(20s);
  CHECK_FALSE((joined.answered() || joined.error()));
  CHECK(stage.logged("training continues") == 0);
  SECTION("that ends") {
    stage.mend(worker.remote);
    stage.pass(3s);
    auto main = stage.remote(0);
    auto client = stage.client(main);
    client.join();
    client.create(3);
    stage.pass(1s);
    REQUIRE(joined.answered());
    CHECK(joined->parameters == constant(3));
  }
  SECTION("at the end of which the holder is empty") {
    worker.remote.far.front()->holder
      = stage.world.keep(spawn_parameter_holder(stage.world.system));
    stage.mend(worker.remote);
    stage.pass(3s);
    CHECK_FALSE((joined.answered() || joined.error()));
    stage.pass(65s); // the main worker does not come
    REQUIRE(joined.answered());
    CHECK(joined->parameters == constant(7));
  }
  SECTION("and gives up if it cannot connect within the deadline") {
    stage.pass(45s);
    CHECK_THAT(sentence(joined.error()),
               Catch::Contains("could not connect to the parameters within 1m"));
  }
}
