// Waiting requests at a parameter holder: how long they wait, and how they are answered if their
// workers are gone.
#include "tests/support/holder_cluster.hpp"

#include <caf/exit_reason.hpp>

using namespace troupe;
using namespace troupe::test;

TEST_CASE("people are told again what the next round waits for", "[rounds][L9]") {
  HolderCluster cluster{{0, 1}};
  std::vector<std::string> told;
  for (auto round = 1; round <= 2; ++round) {
    cluster.exchange(0, 1);
    cluster.pass(10);
    told.emplace_back("parameter holder: a round has waited 2s for worker 1");
    CHECK(cluster.heard->texts() == told);
    cluster.exchange(1, 1);
    cluster.pass(1);
  }
}

TEST_CASE("a lost worker's waiting push is answered with an error", "[rounds][lease][L9]") {
  HolderCluster cluster{{0, 1, 2}};
  const auto lost = cluster.exchange(1, 100), present = cluster.exchange(0, 2);
  cluster.hangs[1] = true;
  cluster.pass(4);
  CHECK(lost.error() == Error::not_joined);
  CHECK_FALSE(present.answered()); // it waits for worker 2
  CHECK_FALSE(present.error());
}

TEST_CASE("a late Leave of an earlier incarnation has no effect", "[rounds][L9]") {
  HolderCluster cluster{{0, 1}};
  const auto earlier = cluster.ids[1].incarnation;
  cluster.join(1);
  const auto push = cluster.exchange(1, 2);
  cluster.world.self->send(cluster.holder, Leave{1, earlier});
  cluster.world.run();
  CHECK_FALSE(push.error());
  cluster.exchange(0, 4);
  REQUIRE(push.answered());
  CHECK(push->values == constant(3));
}

TEST_CASE("waiting requests are answered when the holder ends", "[L9]") {
  HolderCluster cluster{{0, 1}};
  const auto own = caf::actor_cast<LocalHolder>(cluster.holder);
  const Pending<Parameters> next{cluster.world, cluster.holder, Await{7, 0}};
  const Pending<BlockedWorkers> blocked{cluster.world, own, AwaitBlockedWorkers{}};
  cluster.world.run();
  cluster.world.self->send_exit(cluster.holder, caf::exit_reason::user_shutdown);
  cluster.world.run();
  CHECK(next.error() == Error::unavailable);
  CHECK(blocked.error() == Error::unavailable);
}

TEST_CASE("a worker in the process waits for the main one not longer than the grace",
          "[rounds][L9]") {
  DeterministicSystem world;
  ParameterHolderOptions options;
  options.workers = 2;
  options.join_grace = 10;
  const auto holder = world.keep(spawn_parameter_holder(world.system, options));
  REQUIRE(world.ask<Joined>(holder, join_of(1, holder_layout()))); // without a lease
  const Pending<Parameters> created{world, holder, CreateIfAbsent{1, constant(3), true}};
  world.pass(9s, 50ms);
  CHECK_FALSE(created.answered());
  world.pass(2s, 50ms);
  REQUIRE(created.answered());
  CHECK(created->values == constant(3));
}

TEST_CASE("a push that waits twice after a lost connection is one waiting worker",
          "[rounds][B45]") {
  HolderCluster cluster{{0, 1}};
  const auto push = cluster.next(0, 2);
  cluster.exchange(push);
  cluster.exchange(push);
  const auto blocked = cluster.world.ask<BlockedWorkers>(
    caf::actor_cast<LocalHolder>(cluster.holder), AwaitBlockedWorkers{});
  REQUIRE(blocked);
  CHECK(blocked->workers == Workers{0});
}

TEST_CASE("a push that had to wait reports its staleness", "[staleness][L10]") {
  HolderCluster cluster{{0, 1}};
  cluster.exchange(1, 1, {1});
  cluster.exchange(0, 1, {1});
  cluster.exchange(0, 1, {1});
  const Pending<Applied> ahead{cluster.world, cluster.holder, cluster.next(0, 1, {1})};
  cluster.world.run();
  CHECK_FALSE(ahead.answered());
  for (auto push = 0; push < 2; ++push)
    cluster.exchange(1, 1, {1});
  REQUIRE(ahead.answered());
  CHECK(ahead->staleness == 3); // it was based on version 0
}

TEST_CASE("a holder reports where its blocks are accepted", "[L9]") {
  HolderCluster cluster;
  cluster.world.self->send(cluster.holder, UseBlockPort{2100, "here"});
  CHECK(cluster.status().block_port == 2100);
  CHECK(cluster.status().block_name == "here");
}
