#include "apps/why/costs.hpp"
#include "tests/apps/why/measured_workers.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

namespace {

GateKind kind_in_test(const std::string& gate) {
  return gate == "sync"         ? GateKind::sharing
         : gate == "checkpoint" ? GateKind::checkpoint
         : gate == "validation" ? GateKind::evaluation
                                : GateKind::plain;
}

SpentTime time_in_gates() {
  SpentTime spent;
  spent.seconds = 20;
  spent.gradient = 5;
  spent.gates = {{"sync", {9, {{"holder", 1}, {"network", 2}, {"worker 1", 4}, {"limit", 0.5}}}},
                 {"checkpoint", {2, {}}},
                 {"validation", {1, {}}},
                 {"slow", {3, {}}}};
  return spent;
}

} // namespace

TEST_CASE("the costs of a worker add up to its seconds", "[why]") {
  const auto worker = measured_worker(0, time_in_gates(), kind_in_test);
  auto sum = 0.0;
  for (const auto& one : worker.costs)
    sum += one.seconds;
  CHECK(sum == Approx(20));
  CHECK(worker.own() == Approx(16));
}

TEST_CASE("gates are costs of what they do", "[why]") {
  const auto worker = measured_worker(0, time_in_gates(), kind_in_test);
  CHECK(worker.of(CostKind::checkpoint) == 2);
  CHECK(worker.of(CostKind::evaluation) == 1);
  CHECK(worker.of(CostKind::gate) == 3);
  CHECK(worker.of(CostKind::holder) == 1);
  CHECK(worker.of(CostKind::network) == 2);
  CHECK(worker.of(CostKind::limit) == 0.5);
  CHECK(worker.of(CostKind::joining) == Approx(1.5)); // what the syncs do not account for
  CHECK(worker.of(CostKind::waiting) == 4);
}

TEST_CASE("observers that lost copies are named", "[why]") {
  auto spent = time_in_gates();
  spent.lost = {{"samples", 3}};
  CHECK(measured_worker(0, spent, kind_in_test).losing_observers
        == std::vector<std::string>{"samples"});
}

TEST_CASE("pushes that queue at a busy holder wait for it, not for the network", "[why]") {
  const auto sync = [](double holder, double network) {
    return std::vector{test::cost(CostKind::gradient, 10 - holder - network),
                       test::cost(CostKind::holder, holder, "sync"),
                       test::cost(CostKind::network, network, "sync")};
  };
  MeasuredRun busy{{test::worker_with(0, 10, sync(4, 4)), test::worker_with(1, 10, sync(4, 4))}};
  count_queues(busy);
  CHECK(busy.workers[0].of(CostKind::network) == 0);
  CHECK(busy.workers[0].of(CostKind::holder) == 8);
  MeasuredRun idle{{test::worker_with(0, 10, sync(1, 4)), test::worker_with(1, 10, sync(1, 4))}};
  count_queues(idle);
  CHECK(idle.workers[0].of(CostKind::network) == 4);
}

TEST_CASE("a worker that is held longer than another one waits for it", "[why]") {
  MeasuredRun run{
    {test::worker_with(0, 10, {test::cost(CostKind::reading, 6), test::cost(CostKind::held, 4)}),
     test::worker_with(1, 10, {test::cost(CostKind::reading, 9), test::cost(CostKind::held, 1)})}};
  count_waits_for_states(run);
  CHECK(run.workers[0].of(CostKind::held) == 1);
  CHECK(run.workers[0].of(CostKind::waiting) == 3);
  CHECK(run.workers[0].costs.back().awaited == 1u);
  CHECK(run.workers[1].of(CostKind::held) == 1); // a pause holds all
  CHECK(run.workers[1].of(CostKind::waiting) == 0);
}
