#include "model/device/handed_steps.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

namespace {

HandedSteps handed_steps_of(DeviceNan nan, Step count) {
  HandedSteps steps{nan};
  for (Step cursor = 0; cursor < count; ++cursor)
    steps.add({cursor, 10});
  return steps;
}

} // namespace

TEST_CASE("steps get their results in the order in which they were handed over", "[handed_steps]") {
  auto steps = handed_steps_of(DeviceNan::stop, 3);
  CHECK_FALSE(steps.done({.loss_sum = 20, .weight = 10}));
  CHECK_FALSE(steps.done({.loss_sum = 5, .weight = 10}));
  CHECK(steps.without_result() == 1);
  CHECK(steps.taken() == 2);
  const auto results = steps.take_results();
  REQUIRE(results.size() == 2);
  CHECK(results[0].loss == 2);
  CHECK(results[0].examples == 10);
  CHECK(results[0].weight == 10);
  CHECK(results[1].loss == 0.5);
  CHECK(steps.take_results().empty());
}

TEST_CASE("a bad step ends training and is dropped, and so are those after it", "[handed_steps]") {
  auto steps = handed_steps_of(DeviceNan::stop, 3);
  steps.done({.loss_sum = 20, .weight = 10});
  const auto stopped = steps.done({.loss_sum = 30, .weight = 10, .bad = true});
  REQUIRE(stopped);
  CHECK(stopped->step.cursor == 1);
  CHECK(stopped->loss == 3);
  CHECK_FALSE(steps.done({.dropped = true}));
  steps.drop(7);
  const auto results = steps.take_results();
  REQUIRE(results.size() == 4);
  CHECK(results[0].state == StepState::done);
  CHECK(results[1].state == StepState::dropped);
  CHECK(results[2].state == StepState::dropped);
  CHECK(results[3].state == StepState::dropped);
  CHECK(results[3].examples == 7);
  CHECK(steps.taken() == 1);
}

TEST_CASE("a bad step is skipped where the run asks for that", "[handed_steps]") {
  auto steps = handed_steps_of(DeviceNan::skip, 1);
  CHECK_FALSE(steps.done({.loss_sum = 30, .weight = 10, .bad = true}));
  CHECK(steps.take_results()[0].skipped);
  CHECK(steps.taken() == 0);
}

TEST_CASE("a step whose numbers are all masked has no loss", "[handed_steps]") {
  auto steps = handed_steps_of(DeviceNan::stop, 1);
  steps.done({.loss_sum = 0, .weight = 0});
  CHECK(steps.take_results()[0].loss == 0);
}

TEST_CASE("restored steps of the optimizer are counted on", "[handed_steps]") {
  auto steps = handed_steps_of(DeviceNan::stop, 1);
  steps.restore(100);
  steps.done({.loss_sum = 20, .weight = 10});
  CHECK(steps.taken() == 101);
}
