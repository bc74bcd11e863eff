#include "tests/support/holder_cluster.hpp"

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

std::string refusal_of(HolderCluster& cluster, const Join& join) {
  const auto joined = cluster.world.ask<Joined>(cluster.holder, join);
  REQUIRE_FALSE(joined);
  CHECK(joined.error() == Error::invalid_options);
  return sentence(joined.error());
}

} // namespace

TEST_CASE("the pushes of a round are answered together, with one version", "[rounds][L9]") {
  HolderCluster cluster{{0, 1, 2}};
  const auto first = cluster.exchange(0, 3), second = cluster.exchange(2, 4);
  cluster.pass(30); // a round has no deadline while all are alive
  CHECK_FALSE(first.answered());
  CHECK_FALSE(second.answered());
  CHECK(cluster.value() == 0);
  Pending<Applied> third{cluster.world, cluster.holder, cluster.next(1, 8)}; // a push alone
  REQUIRE((first.answered() && second.answered() && third.answered()));
  CHECK(first->values == constant(5));
  CHECK(second->values == constant(5));
  CHECK(first->version == 1);
  CHECK(second->version == 1);
  CHECK(*third == Applied{1, 0});
  CHECK(cluster.status().pushes == 3);
}

TEST_CASE("answers say how long a push waited, and for which worker", "[rounds]") {
  HolderCluster cluster{{0, 1}};
  const auto first = cluster.exchange(0, 3);
  cluster.pass(30);
  const auto second = cluster.exchange(1, 4);
  REQUIRE((first.answered() && second.answered()));
  CHECK(first->at_holder.waited == Approx(30).margin(0.01));
  CHECK(first->at_holder.waited_for == 1);
  CHECK(first->at_holder.delayed == Approx(0).margin(0.01));
  CHECK(second->at_holder.waited == 0);
}

TEST_CASE("people are told which worker is missing, and a round continues without a hanging one",
          "[rounds][lease][L9]") {
  HolderCluster cluster{{0, 1, 2}};
  cluster.pass(5);
  cluster.hangs[1] = true;
  const auto first = cluster.exchange(0, 2), second = cluster.exchange(2, 4);
  cluster.world.pass(1900ms, 50ms);
  cluster.renew(0);
  cluster.renew(2);
  CHECK_FALSE(first.answered()); // not before two renewals are missing
  CHECK(cluster.heard->lines.empty());
  CHECK(cluster.status().missing == Workers{1});
  cluster.world.pass(1400ms, 50ms); // three leases, and the holder's next check
  CHECK(cluster.said("worker 1 has not renewed its lease in time", Level::warning));
  REQUIRE((first.answered() && second.answered()));
  CHECK(first->values == constant(3));
  CHECK(cluster.status().lost == Workers{1});
  CHECK(cluster.status().workers == Workers{0, 2});
  CHECK(cluster.status().missing.empty());
  CHECK(cluster.exchange(1, 1000).error() == Error::not_joined);
  CHECK(cluster.value() == 3);

  cluster.join(1);
  CHECK(cluster.said("worker 1 is back (incarnation 2)", Level::info));
  const auto again = cluster.exchange(0, 1);
  cluster.exchange(2, 2);
  CHECK_FALSE(again.answered());
  cluster.exchange(1, 6);
  REQUIRE(again.answered());
  CHECK(again->values == constant(3));
}

TEST_CASE("people are told after two seconds what a round waits for, and again after a minute",
          "[rounds][L9]") {
  HolderCluster cluster{{0, 1, 2, 5}};
  cluster.pass(3);
  cluster.exchange(0, 2);
  cluster.pass(1);
  CHECK(cluster.heard->lines.empty());
  cluster.pass(10); // they renew, but do not push
  std::vector<std::string> told{"parameter holder: a round has waited 2s for workers 1, 2 and 5"};
  CHECK(cluster.heard->texts() == told);
  cluster.exchange(1, 2);
  cluster.pass(100);
  told.emplace_back("parameter holder: a round has waited 1m for workers 2 and 5");
  CHECK(cluster.heard->texts() == told);
}

TEST_CASE("people are told which workers one that is too far ahead waits for", "[staleness][L9]") {
  HolderCluster cluster{{0, 1, 2, 3}};
  const Staleness bound{1};
  cluster.exchange(1, 1, bound);
  for (int push = 0; push < 2; ++push)
    cluster.exchange(0, 1, bound);
  cluster.pass(10);
  CHECK(cluster.heard->texts()
        == std::vector<std::string>{
          "parameter holder: a worker that is ahead has waited 2s for workers 2 and 3"});
}

TEST_CASE("a request for the next version is answered as soon as it exists", "[L9]") {
  HolderCluster cluster{{0}};
  Pending<Parameters> next{cluster.world, cluster.holder, Await{7, 0}};
  Pending<Parameters> second{cluster.world, cluster.holder, Await{8, 1}};
  cluster.pass(20);
  CHECK_FALSE(next.answered());
  cluster.exchange(0, 4, {});
  REQUIRE(next.answered());
  CHECK(next->version == 1);
  CHECK(next->values == constant(4));
  CHECK_FALSE(second.answered());
  cluster.exchange(0, 6);
  REQUIRE(second.answered());
  CHECK(second->values == constant(6));
  CHECK(next->values == constant(4));
  Pending<Parameters> at_once{cluster.world, cluster.holder, Await{7, 0}};
  REQUIRE(at_once.answered());
  CHECK(at_once->version == 2);
}

TEST_CASE("a request before anything was created is answered with the first push", "[L9]") {
  HolderCluster cluster;
  Pending<Parameters> next{cluster.world, cluster.holder, Await{7, 0}};
  cluster.join(0);
  REQUIRE(cluster.world.ask<Parameters>(cluster.holder, CreateIfAbsent{0, constant(1)}));
  CHECK_FALSE(next.answered());
  cluster.exchange(0, 4);
  CHECK(next.answered());
}

TEST_CASE("a stop reaches every worker with its next renewal", "[L9]") {
  HolderCluster cluster{{0, 1, 2}};
  for (WorkerId worker = 0; worker < 3; ++worker)
    CHECK(cluster.renew(worker)->stop.empty());
  cluster.world.self->send(cluster.holder, StopAll{"worker 1 was interrupted"});
  for (WorkerId worker = 0; worker < 3; ++worker)
    CHECK(cluster.renew(worker)->stop == "worker 1 was interrupted");
  cluster.join(3); // it joins too late to be told
  CHECK(cluster.renew(3)->stop == "worker 1 was interrupted");
}

TEST_CASE("main passes to the next worker when it leaves or is lost", "[lease][L9]") {
  HolderCluster cluster{{1, 2, 3}};
  CHECK(cluster.renew(3)->main == 1);
  cluster.world.self->send(cluster.holder, Leave{1});
  cluster.ids.erase(1);
  CHECK(cluster.renew(3)->main == 2);
  cluster.hangs[2] = true;
  cluster.pass(4);
  CHECK(cluster.renew(3)->main == 3);
  CHECK(cluster.renew(2).error() == Error::not_joined);
  cluster.join(2);
  CHECK(cluster.renew(3)->main == 2);
}

TEST_CASE("another token, protocol or lease is refused with its sentence", "[L9][L12]") {
  HolderCluster cluster{{}, 60, "open sesame"};
  auto join = cluster.join_request(1);
  for (const auto* token : {"", "open", "open sesame "}) {
    join.cluster = token;
    CHECK_THAT(refusal_of(cluster, join), Contains("worker 1") && Contains("another cluster")
                                            && Contains("TROUPE_TOKEN") && !Contains("sesame"));
  }
  join.cluster = "open sesame";
  join.protocol = protocol_version + 1;
  CHECK_THAT(refusal_of(cluster, join),
             Contains("speaks parameter protocol " + std::to_string(protocol_version + 1))
               && Contains("same version of Troupe"));
  join.protocol = protocol_version;
  for (auto lease : {-1.0, 4000.0, std::numeric_limits<double>::quiet_NaN()}) {
    join.lease = lease;
    CHECK_THAT(refusal_of(cluster, join), Contains("lease"));
  }
  join.lease = 1;
  // cure: ; use the same version of Troupe on all nodes
  // cure: token is not this holder's; give all nodes the same TROUPE_TOKEN
  CHECK(cluster.world.ask<Joined>(cluster.holder, join));
  CHECK(cluster.heard->texts(Level::warning).size() == 7); // people are told of each
}

TEST_CASE("a refused join does not disturb the members", "[rounds][L12]") {
  HolderCluster cluster{{0, 1}};
  const auto waiting = cluster.exchange(0, 2);
  auto stranger = cluster.join_request(0);
  stranger.protocol = 1;
  CHECK_FALSE(cluster.world.ask<Joined>(cluster.holder, stranger));
  cluster.pass(3);
  CHECK_FALSE(waiting.answered());
  CHECK_FALSE(waiting.error());
  cluster.exchange(1, 4);
  REQUIRE(waiting.answered());
  CHECK(waiting->values == constant(3));
}

TEST_CASE("a holder reports which workers wait for others, once some do", "[rounds][B45]") {
  HolderCluster cluster{{0, 1}};
  const auto own = caf::actor_cast<LocalHolder>(cluster.holder);
  Pending<BlockedWorkers> blocked{cluster.world, own, AwaitBlockedWorkers{}};
  cluster.world.run();
  CHECK_FALSE(blocked.answered());
  const auto round = cluster.exchange(0, 2);
  cluster.world.run();
  REQUIRE(blocked.answered());
  CHECK(blocked->workers == Workers{0});
  CHECK_FALSE(round.answered());
}

TEST_CASE("a pending request for waiting workers is answered with none when the quiescence ends",
          "[rounds][B45]") {
  HolderCluster cluster{{0, 1}};
  const auto own = caf::actor_cast<LocalHolder>(cluster.holder);
  Pending<BlockedWorkers> blocked{cluster.world, own, AwaitBlockedWorkers{}};
  cluster.world.run();
  CHECK_FALSE(blocked.answered());
  cluster.world.self->send(own, EndQuiescence{});
  cluster.world.run();
  REQUIRE(blocked.answered());
  CHECK(blocked->workers.empty());
}

TEST_CASE("rounds wait for announced workers, but not longer than their grace", "[rounds][L9]") {
  HolderCluster cluster{{}, 10};
  for (WorkerId worker = 0; worker < 2; ++worker)
    cluster.join(worker, 3);
  REQUIRE(cluster.world.ask<Parameters>(cluster.holder, CreateIfAbsent{0, constant(0)}));
  const auto first = cluster.exchange(0, 2), second = cluster.exchange(1, 4);
  cluster.pass(9);
  CHECK_FALSE(first.answered());
  CHECK(cluster.said("waits for workers that have not joined yet", Level::info));
  CHECK_FALSE(cluster.said("continue without them", Level::warning));
  cluster.pass(2);
  REQUIRE((first.answered() && second.answered()));
  CHECK(second->values == constant(3));
  CHECK(cluster.said("not all workers have joined within 10s", Level::warning));
  const auto next = cluster.exchange(0, 5);
  cluster.exchange(1, 7);
  REQUIRE(next.answered()); // at once
  cluster.join(2, 3);       // it joins after all
  const auto last = cluster.exchange(0, 1);
  cluster.exchange(1, 2);
  CHECK_FALSE(last.answered());
  cluster.exchange(2, 6);
  REQUIRE(last.answered());
  CHECK(last->values == constant(3));
}

TEST_CASE("a worker that leaves or joins again gets an error for its earlier push",
          "[rounds][L9]") {
  HolderCluster cluster{{0, 1, 2}};
  const auto leaver = cluster.exchange(0, 100), restarted = cluster.exchange(1, 100);
  cluster.world.self->send(cluster.holder, Leave{0});
  cluster.ids.erase(0);
  cluster.join(1);
  CHECK(leaver.error() == Error::not_joined);
  CHECK(restarted.error() == Error::not_joined);
  const auto rest = cluster.exchange(2, 2);
  CHECK_FALSE(rest.answered());
  cluster.exchange(1, 6);
  REQUIRE(rest.answered());
  CHECK(rest->values == constant(4));
}

TEST_CASE("a push that is repeated while it waits is applied once and answered", "[rounds][R9]") {
  HolderCluster cluster{{0, 1}};
  const auto push = cluster.next(0, 2);
  cluster.exchange(push); // its connection is lost
  const auto again = cluster.exchange(push);
  cluster.exchange(1, 4);
  REQUIRE(again.answered());
  CHECK(again->values == constant(3));
  const auto late = cluster.exchange(push); // from a queue on the network
  REQUIRE(late.answered());
  CHECK(late->values == constant(3));
  CHECK(cluster.status().pushes == 2);
}

TEST_CASE("a worker too far ahead is answered once the slowest has caught up or is lost",
          "[staleness][lease][L9]") {
  const auto hangs = GENERATE(false, true);
  HolderCluster cluster{{0, 1}};
  CHECK(cluster.exchange(0, 1, {1}).answered());
  const auto ahead = cluster.exchange(0, 2, {1});
  CHECK_FALSE(ahead.answered());
  CHECK(cluster.value() == 2); // applied nevertheless
  cluster.hangs[1] = hangs;
  cluster.pass(4);
  CHECK(ahead.answered() == hangs);
  if (!hangs)
    CHECK(cluster.exchange(1, 9, {1}).answered());
  REQUIRE(ahead.answered());
  CHECK(ahead->values == constant(hangs ? 2 : 9));
}

TEST_CASE("a limit of pushes separates rounds exactly", "[rounds][L9]") {
  HolderCluster cluster{{0, 1}, 60, "", 10};
  const auto first = cluster.exchange(0, 1), second = cluster.exchange(1, 3);
  cluster.world.run();
  CHECK(first.answered());
  const auto third = cluster.exchange(0, 2), fourth = cluster.exchange(1, 6);
  cluster.world.pass(190ms, 10ms);
  CHECK_FALSE(third.answered());
  cluster.world.pass(20ms, 10ms);
  REQUIRE(third.answered());
  CHECK(third->values == constant(4));
  CHECK(fourth.answered());
}
