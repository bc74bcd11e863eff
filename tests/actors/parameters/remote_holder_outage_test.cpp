#include "tests/support/remote_holder_stage.hpp"

using namespace troupe;
using namespace troupe::test;

namespace {

Delivery vanishes(const std::string&) { return {.arrives = false}; }

/// The first message of that name is delivered like this, all others arrive.
Deliveries first_of(const std::string& message, Delivery delivery) {
  return [=, happened = false](const std::string& name) mutable {
    if (happened || name != message)
      return Delivery{};
    happened = true;
    return delivery;
  };
}

struct OneWorker {
  explicit OneWorker(std::size_t shards = 1) : stage(shards) {}

  RemoteStage stage;
  RemoteStage::Remote remote = stage.remote();
  HolderClient<DeterministicSystem> client = stage.client(remote);

  void begin(float value = 0) {
    client.join();
    client.create(value);
  }
  Exchange adds(float value) { return {client.next_push({1, 1}, constant(value))}; }
  Pending<Parameters> pending(const Exchange& exchange) {
    return {stage.world, remote.handle, exchange};
  }
  HolderStatus status(std::size_t shard = 0) {
    return *stage.world.ask<HolderStatus>(stage.holders[shard], GetHolderStatus{});
  }
};

} // namespace

TEST_CASE("an exchange whose connection is lost midway is sent again and applied once", "[R7]") {
  const auto shards = GENERATE(1u, 2u);
  const auto arrives = GENERATE(true, false);
  OneWorker one{shards};
  one.begin();
  one.remote.far.back()->deliveries
    = first_of("Exchange", {.arrives = arrives, .answered = false, .ends_connection = true});
  const auto exchanged = one.pending(one.adds(1));
  one.stage.pass(1s);
  REQUIRE(exchanged.answered());
  CHECK(exchanged->values == constant(1));
  CHECK_FALSE(exchanged->rejoined);
  CHECK(one.client.pull().values == constant(1));
  for (std::size_t shard = 0; shard < shards; ++shard)
    CHECK(one.status(shard).journal == decltype(HolderStatus::journal){{0, {1}}});
}

TEST_CASE("a push that arrives again over an old connection is not applied again", "[R7][R9]") {
  OneWorker one;
  one.begin();
  one.remote.far.front()->deliveries = first_of("Exchange", {.late = 1, .ends_connection = true});
  const auto first = one.pending(one.adds(1));
  one.stage.pass(500ms);
  REQUIRE(first.answered()); // over the new connection
  REQUIRE(one.client.ask<Parameters>(one.adds(2)));
  one.stage.pass(2s);
  CHECK(one.client.pull().values == constant(3));
  CHECK(one.status().pushes == 2);
}

TEST_CASE("while the holder is unreachable an exchange is answered at once", "[L9][R7]") {
  OneWorker one;
  one.begin();
  one.stage.pass(2s);
  one.stage.cut(one.remote);
  for (auto i = 0; i < 3; ++i) {
    const auto refused = one.client.ask<Parameters>(one.adds(1));
    REQUIRE_FALSE(refused);
    CHECK(refused.error() == Error::unavailable);
    one.stage.pass(100ms);
  }
  CHECK(one.stage.logged("is unreachable") == 1);
  one.stage.mend(one.remote);
  one.stage.pass(500ms);
  CHECK(one.stage.logged("is reachable again") == 1);
  CHECK_THAT(one.stage.said->back(), Catch::Matches(".* is reachable again after [0-9.]{1,3}m?s"));
  const auto exchanged = one.client.ask<Parameters>(one.adds(1));
  REQUIRE(exchanged);
  CHECK(exchanged->values == constant(1));
  CHECK_FALSE(exchanged->rejoined);
  CHECK(one.stage.said->size() == 2);
}

TEST_CASE("each outage is reported once, however long it lasts and whatever ends it", "[R7]") {
  OneWorker one{2};
  one.begin();
  for (std::size_t outage = 1; outage <= 3; ++outage) {
    one.stage.pass(2s);
    one.stage.cut(one.remote, outage % 2);
    one.stage.pass(30s); // meanwhile the holder considers the worker lost
    CHECK(one.stage.logged("is unreachable") == outage);
    one.stage.mend(one.remote, outage % 2);
    one.stage.pass(5s);
    CHECK(one.stage.logged("is reachable again") == outage);
  }
}

TEST_CASE("a worker that waited for the holder at first reports a later outage", "[R7]") {
  OneWorker one;
  one.stage.cut(one.remote);
  const Pending<Joined> joined{one.stage.world, one.remote.handle, join_of(0, holder_layout())};
  one.stage.pass(3s);
  CHECK(one.stage.logged("waits for the parameter holder") == 1);
  one.stage.mend(one.remote);
  one.stage.pass(3s);
  REQUIRE(joined.answered());
  one.stage.cut(one.remote);
  one.stage.pass(1s);
  CHECK(one.stage.logged("is unreachable") == 1);
}

TEST_CASE("an outage while a worker joins again is over when it has joined", "[R7]") {
  OneWorker one;
  one.begin();
  one.stage.cut(one.remote);
  one.stage.pass(10s);
  one.remote.far.front()->deliveries
    = first_of("Join", {.arrives = false, .ends_connection = true});
  one.stage.mend(one.remote);
  one.stage.pass(5s);
  CHECK(one.stage.logged("is unreachable") == one.stage.logged("is reachable again"));
  one.stage.cut(one.remote);
  one.stage.pass(1s);
  CHECK(one.stage.logged("is unreachable") == one.stage.logged("is reachable again") + 1);
}

TEST_CASE("a Join that was lost with its connection does not harm the next connection", "[R7]") {
  OneWorker one;
  one.remote.far.front()->deliveries
    = first_of("Join", {.answered = false, .late = 2, .ends_connection = true});
  one.begin(); // over the second connection
  one.stage.pass(30s);
  CHECK(one.stage.logged("is unreachable") == 1);
  CHECK(one.remote.far.front()->made == 2);
}

TEST_CASE("a holder that answers nothing is detected within three renewals", "[R7]") {
  OneWorker one;
  one.begin();
  one.stage.pass(2s);
  one.remote.far.front()->deliveries = vanishes;
  const auto exchanged = one.pending(one.adds(1));
  one.stage.pass(1s);
  CHECK(one.stage.logged("is unreachable") == 0);
  one.stage.pass(2200ms); // and polls in between
  CHECK(one.stage.logged("is unreachable: it has not answered") == 1);
  one.remote.far.front()->reachable = false;
  one.stage.end_connections(one.remote);
  one.stage.pass(2s);
  CHECK(exchanged.error() == Error::unavailable);
}

TEST_CASE("a worker whose lease has ended continues from the shared parameters", "[L9]") {
  const auto shards = GENERATE(1u, 2u);
  RemoteStage stage{shards};
  auto lost = stage.remote(0), other = stage.remote(1);
  auto one = stage.client(lost, 0), two = stage.client(other, 1);
  one.join();
  two.join();
  one.create(1);
  stage.pass(1s);
  stage.cut(lost, shards - 1);
  stage.pass(10s);
  REQUIRE(two.ask<Parameters>(Exchange{two.next_push({1, 1}, constant(4))}));
  stage.mend(lost, shards - 1);
  stage.pass(3s);
  CHECK(stage.logged("declared it lost") == 1);
  CHECK(stage.logged("has joined again") == 1);
  const auto stale = one.ask<Parameters>(Exchange{one.next_push({0, 1}, constant(9))});
  REQUIRE(stale);
  CHECK(stale->rejoined);
  CHECK(stale->values == constant(5));
  CHECK(two.pull().values == constant(5));
  const auto next = one.ask<Parameters>(Exchange{one.next_push({1, 1}, constant(2))});
  REQUIRE(next);
  CHECK_FALSE(next->rejoined);
  CHECK(next->values == constant(7));
}

TEST_CASE("a holder that comes back empty is filled by a worker", "[L9][R7]") {
  const auto shards = GENERATE(1u, 2u);
  OneWorker one{shards};
  one.begin(1);
  for (std::size_t shard = 0; shard < shards; ++shard)
    one.remote.far[shard]->holder
      = one.stage.world.keep(spawn_parameter_holder(one.stage.world.system));
  one.stage.end_connections(one.remote);
  one.stage.end_connections(one.remote, shards - 1);
  const auto refused = one.pending(one.adds(1));
  one.stage.pass(3s);
  CHECK(refused.error() == Error::not_created);
  CHECK(one.stage.logged("restarted without parameters") == 1);
  CHECK(one.client.create(7) == constant(7));
  const auto first = one.client.ask<Parameters>(one.adds(1));
  REQUIRE(first);
  CHECK_FALSE(first->rejoined);
  const auto second = one.client.ask<Parameters>(one.adds(1));
  REQUIRE(second);
  CHECK(second->values == constant(9));
}

TEST_CASE("a worker that one holder forgets while it still waits for the other loses no push",
          "[L9][R7]") {
  OneWorker one{2};
  one.stage.cut(one.remote, 1);
  const Pending<Joined> joined{one.stage.world, one.remote.handle, join_of(0, holder_layout())};
  one.stage.pass(1s);
  one.remote.far[0]->holder = one.stage.world.keep(spawn_parameter_holder(one.stage.world.system));
  one.stage.pass(3s);
  one.stage.mend(one.remote, 1);
  one.stage.pass(3s);
  REQUIRE(joined.answered());
  CHECK(one.stage.logged("was started anew") == 0);
  REQUIRE(one.client.ask<Parameters>(CreateIfAbsent{0, constant(1)}));
  auto push = one.client.next_push({1, 1}, constant(1));
  push.id.incarnation = joined->incarnation;
  const auto exchanged = one.client.ask<Parameters>(Exchange{push});
  REQUIRE(exchanged);
  CHECK_FALSE(exchanged->rejoined);
  CHECK(exchanged->values == constant(2));
}

TEST_CASE("a shard that comes back empty gets the values of a worker, the others keep theirs",
          "[L9][R7]") {
  OneWorker one{2};
  one.begin(1);
  one.remote.far[1]->holder = one.stage.world.keep(spawn_parameter_holder(one.stage.world.system));
  one.stage.end_connections(one.remote, 1);
  one.stage.pass(3s);
  const Pending<Parameters> created{one.stage.world, one.remote.handle,
                                    CreateIfAbsent{0, constant(7)}};
  one.stage.pass(5s);
  REQUIRE(created.answered());
  CHECK(created->values.view().front() == 1);
  CHECK(created->values.view().back() == 7);
  CHECK(one.client.pull().values == created->values);
}

TEST_CASE("a holder that refuses a worker that joins again is reported once", "[R7]") {
  OneWorker one;
  one.begin();
  ParameterHolderOptions options;
  options.store.cluster = "another secret";
  one.remote.far.front()->holder
    = one.stage.world.keep(spawn_parameter_holder(one.stage.world.system, options));
  one.stage.end_connections(one.remote);
  one.stage.pass(30s);
  CHECK(one.stage.logged("refuses it: worker 0 belongs to another cluster") == 1);
  CHECK(one.client.ask<Parameters>(one.adds(1)).error() == Error::unavailable);
}

TEST_CASE("a Join without a connection is answered at its deadline, with a sentence", "[L9]") {
  RemoteStage stage;
  RemoteHolderOptions options;
  options.join_deadline = 5;
  auto remote = stage.remote(options);
  stage.cut(remote);
  const Pending<Joined> joined{stage.world, remote.handle, join_of(0, holder_layout())};
  stage.pass(4900ms);
  CHECK_FALSE(joined.error());
  stage.pass(300ms);
  CHECK(joined.error() == Error::unavailable);
  CHECK(sentence(joined.error()).find("within 5s") != std::string::npos);
  CHECK(sentence(joined.error()).find("no connection") != std::string::npos);
  stage.mend(remote);
  stage.client(remote).join(); // as if it were the first time
}
