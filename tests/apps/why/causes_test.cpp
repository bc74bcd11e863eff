#include "apps/why/causes.hpp"
#include "tests/apps/why/measured_workers.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using test::causes_in;
using test::cost;
using test::worker_with;

TEST_CASE("the largest cost of a single worker bounds it", "[why]") {
  const MeasuredRun run{{worker_with(
    0, 10, {cost(CostKind::reading, 7), cost(CostKind::gradient, 2), cost(CostKind::update, 1)})}};
  const auto causes = causes_in(run);
  CHECK(causes.front().kind == CauseKind::reading);
  CHECK(causes.front().seconds == 7);
  CHECK(causes.front().without == 3);
  CHECK_FALSE(causes.front().worker);
  CHECK(causes[1].kind == CauseKind::gradient); // what costs most then
}

TEST_CASE("a gate is named", "[why]") {
  const MeasuredRun run{
    {worker_with(0, 10, {cost(CostKind::gradient, 1), cost(CostKind::gate, 9, "slow")})}};
  CHECK(causes_in(run).front().kind == CauseKind::gate);
  CHECK(causes_in(run).front().gate == "slow");
}

TEST_CASE("a worker that computes longer than the others is slow", "[why]") {
  const MeasuredRun run{{worker_with(0, 10, {cost(CostKind::gradient, 2)}, 1),
                         worker_with(1, 10, {cost(CostKind::gradient, 10)}),
                         worker_with(2, 10, {cost(CostKind::gradient, 3)}, 1)}};
  const auto cause = causes_in(run).front();
  CHECK(cause.kind == CauseKind::slow_worker);
  CHECK(cause.worker == 1u);
  CHECK(cause.without == Approx(3)); // the next one is the slowest then
}

TEST_CASE("a worker that ends last because it is slow bounds a run without rounds", "[why]") {
  const MeasuredRun run{{worker_with(0, 2, {cost(CostKind::gradient, 2)}),
                         worker_with(1, 10, {cost(CostKind::gradient, 10)})}};
  const auto cause = causes_in(run).front();
  CHECK(cause.kind == CauseKind::slow_worker);
  CHECK(cause.without == Approx(2));
}

TEST_CASE("reading that one worker does slowly is not called a slow worker", "[why]") {
  const MeasuredRun run{
    {worker_with(0, 10, {cost(CostKind::reading, 1), cost(CostKind::gradient, 2)}, 1),
     worker_with(1, 10, {cost(CostKind::reading, 8), cost(CostKind::gradient, 2)})}};
  const auto cause = causes_in(run).front();
  CHECK(cause.kind == CauseKind::reading);
  CHECK(cause.worker == 1u);
}

TEST_CASE("evaluation by one worker for which the others wait bounds a run in rounds", "[why]") {
  const MeasuredRun run{
    {worker_with(0, 10, {cost(CostKind::gradient, 2), cost(CostKind::evaluation, 8, "v")}),
     worker_with(1, 10, {cost(CostKind::gradient, 2)}, 0)}};
  const auto cause = causes_in(run).front();
  CHECK(cause.kind == CauseKind::evaluation);
  CHECK(cause.without == Approx(2));
}

TEST_CASE("waits that come by chance stay as long as before, in proportion", "[why]") {
  const auto sync = [](WorkerId worker, WorkerId other) {
    return worker_with(worker, 10,
                       {cost(CostKind::network, 5, "sync"), cost(CostKind::gradient, 3)}, other);
  };
  const MeasuredRun run{{sync(0, 1), sync(1, 0)}};
  const auto cause = causes_in(run).front();
  CHECK(cause.kind == CauseKind::network);
  CHECK(cause.without == Approx(10 * 3.0 / 8));
}

TEST_CASE("small batches are the cause where larger ones cost less for an example", "[why]") {
  MeasuredRun run{
    {worker_with(
      0, 10, {cost(CostKind::gradient, 4), cost(CostKind::update, 4), cost(CostKind::between, 2)})},
    1,
    LargerBatches{16, 0.1}};
  const auto cause = causes_in(run).front();
  CHECK(cause.kind == CauseKind::tiny_batches);
  CHECK(cause.without == Approx(0.8 + 2.0 / 16));
  run.larger.reset();
  CHECK(causes_in(run).front().kind == CauseKind::gradient);
}

TEST_CASE("threads that wait for cores which the process itself fills have too few", "[why]") {
  auto worker = worker_with(0, 10, {cost(CostKind::gradient, 10)});
  worker.use = {10, 10, 1}; // two threads on one core
  auto cause = causes_in({{worker}}).front();
  CHECK(cause.kind == CauseKind::few_cores);
  CHECK(cause.without == Approx(5));
  worker.losing_observers = {"samples"};
  CHECK(causes_in({{worker}}).front().gate == "samples");
  worker.use = {2, 20, 2}; // others have most of the cores
  CHECK(causes_in({{worker}}).front().kind == CauseKind::other_programs);
  worker.use = {5, 5, 2}; // the cores have time for others
  cause = causes_in({{worker}}).front();
  CHECK(cause.kind == CauseKind::other_programs);
  CHECK(cause.without == Approx(5));
}

TEST_CASE("a cause in the run is named before other programs that cost a little more", "[why]") {
  auto worker = worker_with(0, 10, {cost(CostKind::gradient, 7), cost(CostKind::gate, 3, "slow")});
  worker.use = {4, 8, 2}; // waits for cores two thirds of its computation
  const auto causes = causes_in({{worker}});
  CHECK(causes.front().kind == CauseKind::gate);
  CHECK(causes[1].kind == CauseKind::other_programs);
}

TEST_CASE("a short wait for cores in a run that sleeps is not the cause", "[why]") {
  auto worker = worker_with(0, 10, {cost(CostKind::reading, 9), cost(CostKind::gradient, 1)});
  worker.use = {0.5, 0.4, 2};
  CHECK(causes_in({{worker}}).front().kind == CauseKind::reading);
}

TEST_CASE("a wait for a worker whose log is missing is a cause", "[why]") {
  const MeasuredRun run{{worker_with(0, 10, {cost(CostKind::gradient, 3)}, 5)}};
  const auto cause = causes_in(run).front();
  CHECK(cause.kind == CauseKind::waiting);
}
