// What happens to requests over connections that are lost, refused or forgotten.
#include "tests/support/remote_holder_stage.hpp"

using namespace troupe;
using namespace troupe::test;

namespace {

/// A worker on another node than its holders, and one that is not lost.
struct RemoteWorkers {
  explicit RemoteWorkers(std::size_t shards = 1) : stage(shards) {
    client.join();
    other.join();
    client.create(1);
  }

  Push adds(float value) { return client.next_push({1, 1}, constant(value)); }
  template <class Answer, class Request>
  Pending<Answer> pending(const Request& request) {
    return {stage.world, remote.handle, request};
  }
  /// Long enough to be considered lost.
  void be_forgotten() {
    stage.pass(1s);
    stage.cut(remote);
    stage.pass(10s);
    stage.mend(remote);
    stage.pass(3s);
    REQUIRE(stage.logged("has joined again") == 1);
  }

  RemoteStage stage;
  RemoteStage::Remote remote = stage.remote(0), second = stage.remote(1);
  HolderClient<DeterministicSystem> client = stage.client(remote, 0),
                                    other = stage.client(second, 1);
};

} // namespace

TEST_CASE("a request for a new version keeps waiting while the holder is unreachable", "[L9][R7]") {
  RemoteWorkers far;
  const auto before = far.pending<Parameters>(Await{0, 0});
  far.stage.cut(far.remote);
  const auto meanwhile = far.pending<Parameters>(Await{0, 0});
  far.stage.pass(30s);
  far.stage.mend(far.remote);
  far.stage.pass(3s);
  for (const auto* waiting : {&before, &meanwhile}) {
    CHECK_FALSE(waiting->answered());
    CHECK_FALSE(waiting->error());
  }
  REQUIRE(far.other.ask<Parameters>(Exchange{far.other.next_push({1, 1}, constant(4))}));
  far.stage.pass(1s);
  for (const auto* waiting : {&before, &meanwhile}) {
    REQUIRE(waiting->answered());
    CHECK((*waiting)->values == constant(5));
  }
}

TEST_CASE("a push without an answer in time is refused, and small requests at once", "[R7]") {
  RemoteWorkers far;
  far.remote.far.front()->deliveries
    = [](const std::string&) { return Delivery{.arrives = false}; };
  const auto pushed = far.pending<Applied>(far.adds(1));
  far.stage.cut(far.remote);
  far.stage.pass(3s);
  CHECK(pushed.error() == Error::unavailable);
  CHECK(far.client.ask<HolderStatus>(GetHolderStatus{}).error() == Error::unavailable);
}

TEST_CASE("a worker that leaves gets answers to its requests in flight", "[L9]") {
  RemoteWorkers far;
  far.remote.far.front()->deliveries
    = [](const std::string&) { return Delivery{.arrives = false}; };
  const auto pushed = far.pending<Parameters>(Exchange{far.adds(1)});
  far.stage.world.self->send(far.remote.handle, Leave{0});
  far.stage.world.run();
  CHECK(pushed.error() == Error::not_joined);
}

TEST_CASE("a worker that leaves while it joins is told that it has left", "[L9]") {
  RemoteStage stage;
  auto remote = stage.remote();
  stage.cut(remote);
  const Pending<Joined> joined{stage.world, remote.handle, join_of(0, holder_layout())};
  stage.world.self->send(remote.handle, Leave{0});
  stage.world.run();
  CHECK(joined.error() == Error::not_joined);
}

TEST_CASE("pushes of a worker that was lost are left out, also without an exchange", "[L9]") {
  RemoteWorkers far;
  far.be_forgotten();
  REQUIRE(far.client.ask<Applied>(far.client.next_push({0, 1}, constant(9))));
  CHECK(far.client.pull().values == constant(1));
  REQUIRE(far.client.ask<Applied>(far.adds(2)));
  CHECK(far.client.pull().values == constant(3));
}

TEST_CASE("people are told once that a worker was lost, until it syncs", "[L9]") {
  RemoteWorkers far;
  const auto again = [&far] {
    far.stage.cut(far.remote);
    far.stage.pass(10s);
    far.stage.mend(far.remote);
    far.stage.pass(3s);
    return far.stage.logged("is no longer known");
  };
  CHECK(again() == 1);
  CHECK(again() == 1);
  REQUIRE(far.client.ask<Applied>(far.adds(1)));
  CHECK(again() == 2);
}

TEST_CASE("a worker that was lost pushes parts as before", "[L5][L9]") {
  RemoteWorkers far;
  far.be_forgotten();
  REQUIRE(
    far.client.ask<Applied>(far.client.next_part({0, 1}, {"b", {}, {}}, block_of({7, 7, 7, 7}))));
  CHECK(far.client.pull().values.view().back() == 7);
}

TEST_CASE("a worker that is refused when it joins again gets the reason", "[L9][L12]") {
  RemoteWorkers far;
  auto& far_end = *far.remote.far.front();
  far_end.deliveries
    = [](const std::string& message) { return Delivery{.arrives = message != "Exchange"}; };
  const auto pushed = far.pending<Parameters>(Exchange{far.adds(1)});
  ParameterHolderOptions options;
  options.store.cluster = "another secret";
  far_end.holder = far.stage.world.keep(spawn_parameter_holder(far.stage.world.system, options));
  far.stage.end_connections(far.remote);
  far.stage.pass(1s);
  CHECK_THAT(sentence(pushed.error()), Catch::Contains("belongs to another cluster"));
}

TEST_CASE("a push whose values or residual are of another size is refused", "[L12][residual]") {
  RemoteWorkers far{2};
  auto short_of_values = far.adds(1), short_of_residual = far.adds(1);
  short_of_values.values = block_of({1, 2});
  short_of_residual.residual = block_of({1, 2});
  for (const auto& push : {short_of_values, short_of_residual}) {
    CHECK(far.client.ask<Applied>(push).error() == Error::shape_mismatch);
    CHECK(far.client.ask<Parameters>(Exchange{push}).error() == Error::shape_mismatch);
  }
  CHECK(far.client.pull().values == constant(1));
}

TEST_CASE("a renewal that is lost now and then loses no connection", "[R7]") {
  RemoteWorkers far;
  auto renewals = std::make_shared<unsigned>(0);
  far.remote.far.front()->deliveries = [renewals](const std::string& message) {
    return Delivery{.arrives = message != "Renew" || ++*renewals % 2 == 0};
  };
  far.stage.pass(30s);
  CHECK(far.stage.said->empty());
  CHECK(*renewals <= 31); // one a lease
  CHECK(far.remote.far.front()->made == 1);
}

TEST_CASE("the end of the block connection is noticed at once", "[R7]") {
  RemoteWorkers far;
  far.stage.world.self->send_exit(far.remote.far.front()->connections.at(1),
                                  caf::exit_reason::remote_link_unreachable);
  far.stage.pass(200ms);
  CHECK(far.remote.far.front()->made == 2);
  REQUIRE(far.client.ask<Parameters>(Exchange{far.adds(1)}));
}

TEST_CASE("a holder is tried often at first, then every two seconds, at each outage", "[R7]") {
  RemoteWorkers far;
  auto& far_end = *far.remote.far.front();
  for (const unsigned outage : {1, 2}) {
    const auto before = far_end.asked;
    far.stage.cut(far.remote);
    CHECK(far_end.dropped == outage);
    far.stage.pass(1s);
    CHECK(far_end.asked - before >= 3);
    far.stage.pass(60s);
    CHECK(far_end.asked - before <= 40);
    far.stage.mend(far.remote);
    far.stage.pass(5s);
    CHECK(far_end.made == outage + 1);
  }
}

TEST_CASE("an outage of two holders lasts from the first loss", "[R7]") {
  RemoteWorkers far{2};
  far.stage.cut(far.remote, 0);
  far.stage.pass(10s);
  far.stage.cut(far.remote, 1);
  far.stage.pass(10s);
  far.stage.mend(far.remote, 0);
  far.stage.mend(far.remote, 1);
  far.stage.pass(5s);
  CHECK(far.stage.logged("is reachable again after 2") == 1); // 20 s and an attempt
}

TEST_CASE("a worker whose Join found no connection has not joined", "[L9]") {
  RemoteStage stage;
  auto remote = stage.remote();
  stage.cut(remote);
  const Pending<Joined> joined{stage.world, remote.handle, join_of(0, holder_layout())};
  stage.pass(61s);
  REQUIRE(joined.error() == Error::unavailable);
  const Pending<Parameters> pulled{stage.world, remote.handle, Pull{0}};
  stage.world.run();
  CHECK(pulled.error() == Error::not_joined);
}

TEST_CASE("a push has the same time for a lost connection, however long it waited for its round",
          "[R7]") {
  RemoteStage stage;
  auto first = stage.remote(0), second = stage.remote(1);
  auto one = stage.client(first, 0), two = stage.client(second, 1);
  one.join();
  two.join();
  one.create(0);
  const auto in_round = [](HolderClient<DeterministicSystem>& client) {
    return Exchange{client.next_push_in_round({1, 1}, constant(2))};
  };
  const Pending<Parameters> waits{stage.world, first.handle, in_round(one)};
  stage.pass(10s);
  stage.cut(first);
  stage.pass(500ms);
  stage.mend(first);
  stage.pass(1500ms);
  CHECK_FALSE(waits.answered());
  CHECK(sentence(waits.error()) == "no error");
  const Pending<Parameters> completes{stage.world, second.handle, in_round(two)};
  stage.pass(1s);
  REQUIRE((waits.answered() && completes.answered()));
  CHECK_FALSE(waits->rejoined);
}

TEST_CASE("a holder that comes back older is reported once, with how much is lost", "[L9][R7]") {
  RemoteWorkers far;
  const auto push = [&] { REQUIRE(far.client.ask<Parameters>(Exchange{far.adds(1)})); };
  push();
  const auto saved = far.stage.world.ask<SavedHolder>(far.stage.holders[0], SaveHolder{});
  REQUIRE(saved);
  push();
  push();
  far.be_forgotten(); // the holder is the same
  CHECK(far.stage.logged("was restored at version") == 0);
  const auto again = far.stage.world.keep(spawn_parameter_holder(far.stage.world.system));
  REQUIRE(far.stage.world.ask<Joined>(again, RestoreHolder{*saved}));
  far.remote.far.front()->holder = again;
  far.stage.end_connections(far.remote);
  far.stage.pass(5s);
  CHECK(far.stage.logged("was restored at version 1; 2 versions acknowledged after it are lost")
        == 1);
  push();
  far.stage.cut(far.remote);
  far.stage.pass(10s);
  far.stage.mend(far.remote);
  far.stage.pass(3s);
  CHECK(far.stage.logged("was restored at version") == 1);
}
