#include "apps/why/critical_path.hpp"
#include "tests/apps/why/measured_workers.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using test::cost;
using test::worker_with;

TEST_CASE("the critical path of one worker is all that it does", "[why]") {
  const MeasuredRun run{{worker_with(
    0, 10, {cost(CostKind::reading, 2), cost(CostKind::gradient, 7), cost(CostKind::update, 1)})}};
  const auto path = critical_path(run);
  CHECK(path.worker == 0);
  CHECK(path.seconds == 10);
  REQUIRE(path.costs.size() == 3);
  CHECK(path.costs[0].cost.kind == CostKind::gradient); // the longest first
  CHECK(path.costs[1].cost.kind == CostKind::reading);
}

TEST_CASE("the critical path leads through the worker that the others wait for", "[why]") {
  const MeasuredRun run{
    {worker_with(0, 10, {cost(CostKind::gradient, 3)}, 1),
     worker_with(1, 10, {cost(CostKind::reading, 8), cost(CostKind::gradient, 2)})}};
  const auto path = critical_path(run);
  CHECK(path.worker == 1);
  REQUIRE_FALSE(path.costs.empty());
  CHECK(path.costs[0].cost.kind == CostKind::reading);
  CHECK(path.costs[0].cost.seconds == 8);
}

TEST_CASE("a wait on the critical path is the awaited worker's own work", "[why]") {
  // worker 1 waits for worker 0's evaluations; otherwise it is the slower one
  const MeasuredRun run{
    {worker_with(0, 10, {cost(CostKind::gradient, 2), cost(CostKind::evaluation, 2, "v")}, 1),
     worker_with(1, 10, {cost(CostKind::gradient, 6)}, 0)}};
  const auto path = critical_path(run);
  CHECK(path.worker == 1);
  auto sum = 0.0, evaluation = 0.0;
  for (const auto& [worker, one] : path.costs) {
    sum += one.seconds;
    if (one.kind == CostKind::evaluation) {
      CHECK(worker == 0);
      evaluation += one.seconds;
    }
  }
  CHECK(sum == Approx(10));
  CHECK(evaluation == Approx(2));
}

TEST_CASE("a wait for a worker whose log is not there stays a wait", "[why]") {
  const MeasuredRun run{{worker_with(0, 10, {cost(CostKind::gradient, 3)}, 5)}};
  const auto path = critical_path(run);
  REQUIRE(path.costs.size() == 2);
  CHECK(path.costs[0].cost.kind == CostKind::waiting);
  CHECK(path.costs[0].cost.awaited == 5u);
}
