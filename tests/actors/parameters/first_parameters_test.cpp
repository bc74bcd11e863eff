// Which worker creates the shared parameters: the main worker, which may have loaded or restored
// them, and which the others wait for.
#include "tests/support/holder_cluster.hpp"
#include "tests/support/remote_holder_stage.hpp"

using namespace troupe;
using namespace troupe::test;

namespace {

/// What a worker of a cluster sends at its start.
Pending<Parameters> begin(HolderCluster& cluster, WorkerId worker, float value) {
  return {cluster.world, cluster.holder, CreateIfAbsent{worker, constant(value), true}};
}

} // namespace

TEST_CASE("the first worker waits for the main one, and begins with what that has loaded",
          "[create][T12][T18][L2]") {
  HolderCluster cluster;
  cluster.join(1, 3);
  const auto second = begin(cluster, 1, 1);
  cluster.join(2, 3);
  const auto third = begin(cluster, 2, 2);
  cluster.pass(10);
  CHECK_FALSE((second.answered() || third.answered()));
  CHECK(cluster.heard->texts()
        == std::vector<std::string>{
          "parameter holder: no worker begins before the main one, worker 0, has created the "
          "parameters; it has not joined yet, and others wait at most 1m"});
  cluster.join(0, 3);
  CHECK_FALSE((second.answered() || third.answered()));
  const auto main = begin(cluster, 0, 4);
  REQUIRE((main.answered() && second.answered() && third.answered()));
  CHECK((main->created && !second->created && !third->created));
  CHECK(second->values == constant(4));
  CHECK(third->values == constant(4));
  cluster.join(2, 3);
  CHECK(begin(cluster, 2, 2)->values == constant(4)); // no worker waits for existing parameters
}

TEST_CASE("the main worker waits for no other", "[create][T12]") {
  HolderCluster cluster;
  cluster.join(0, 3);
  REQUIRE(begin(cluster, 0, 4).answered());
}

TEST_CASE("an absent main worker is waited for like a round, and people are told",
          "[create][T12]") {
  HolderCluster cluster{{}, 5};
  cluster.join(2, 3);
  cluster.join(1, 3);
  const auto third = begin(cluster, 2, 2), second = begin(cluster, 1, 1);
  cluster.pass(4);
  CHECK_FALSE((second.answered() || third.answered()));
  cluster.pass(2);
  CHECK(cluster.said("not all workers have joined within 5s", Level::warning));
  REQUIRE((second.answered() && third.answered()));
  CHECK(second->created);
  CHECK(third->values == constant(1)); // the lowest number present is main
  cluster.join(0, 3);
  CHECK(begin(cluster, 0, 4)->values == constant(1));
}

TEST_CASE("if the main worker is lost or leaves before it has created, the next one creates",
          "[create][lease][T12]") {
  HolderCluster cluster;
  cluster.join(0, 2);
  cluster.join(1, 2);
  const auto second = begin(cluster, 1, 1);
  SECTION("lost") {
    cluster.hangs[0] = true;
    cluster.pass(1);
    CHECK_FALSE(second.answered());
    cluster.pass(3);
  }
  SECTION("left") {
    cluster.world.self->send(cluster.holder, Leave{0, cluster.ids[0].incarnation});
    cluster.world.run();
  }
  REQUIRE(second.answered());
  CHECK(second->values == constant(1));
}

TEST_CASE("a worker that joins again while it waits is answered once, to its new request",
          "[create][T12]") {
  HolderCluster cluster;
  cluster.join(1, 2);
  const auto first = begin(cluster, 1, 1);
  cluster.join(1, 2);
  CHECK(first.error() == Error::not_joined);
  const auto again = begin(cluster, 1, 1);
  cluster.join(0, 2);
  begin(cluster, 0, 4);
  REQUIRE(again.answered());
  CHECK(again->values == constant(4));
}

TEST_CASE("a holder that ends answers waiting workers", "[create][T12]") {
  HolderCluster cluster;
  cluster.join(1, 2);
  const auto waits = begin(cluster, 1, 1);
  cluster.world.self->send_exit(cluster.holder, caf::exit_reason::user_shutdown);
  cluster.world.run();
  CHECK(waits.error() == Error::unavailable);
}

TEST_CASE("parameters split over two holders are the main worker's in all parts",
          "[create][shards][T12][T18]") {
  RemoteStage stage{2};
  const auto worker = [&stage](WorkerId number) {
    RemoteHolderOptions options;
    options.worker = number;
    options.workers = 2;
    options.logger = stage.logger();
    return stage.remote(options);
  };
  auto second = worker(1);
  auto its = stage.client(second, 1);
  its.join();
  const Pending<Parameters> waits{stage.world, second.holder, CreateIfAbsent{1, constant(1), true}};
  stage.pass(5s);
  CHECK_FALSE(waits.answered());
  stage.cut(second); // while it waits its connection may be lost and restored
  stage.pass(1s);
  stage.mend(second);
  stage.pass(3s);
  CHECK_FALSE(waits.answered());
  auto first = worker(0);
  auto of_main = stage.client(first, 0);
  of_main.join();
  const Pending<Parameters> creates{stage.world, first.holder,
                                    CreateIfAbsent{0, constant(4), true}};
  stage.pass(1s);
  REQUIRE((waits.answered() && creates.answered()));
  CHECK(creates->values == constant(4));
  CHECK(waits->values == constant(4));
}
