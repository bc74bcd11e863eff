#include "tests/support/trainer_stage.hpp"

using namespace troupe;
using namespace troupe::test;

namespace {

using BusyActor = Observer::extend<caf::reacts_to<Resume>>;

/// An observer that is busy with each event until it is told to continue.
BusyActor busy_observer(DeterministicSystem& world, const Events& heard) {
  const auto behave = [=](BusyActor::pointer self) -> BusyActor::behavior_type {
    auto held = std::make_shared<std::vector<caf::response_promise>>();
    auto busy = std::make_shared<bool>(true);
    return {[=](const LoopEvent& event) -> caf::result<void> {
              heard->push_back(event);
              if (!*busy)
                return caf::unit;
              auto promise = self->make_response_promise<void>();
              held->push_back(promise);
              return promise;
            },
            [=](const Resume&) {
              *busy = false;
              for (auto& promise : *held)
                promise.deliver(caf::unit);
            }};
  };
  return world.keep(world.system.spawn(behave));
}

struct ObserverStage : TrainerStage {
  ObserverStage(const Conditions& conditions, std::uint32_t window, StageOptions options)
    : TrainerStage(options) {
    subscribe(
      Subscribe{.name = "slow", .conditions = conditions, .observer = busy, .window = window});
  }
  Events heard_events = std::make_shared<std::vector<LoopEvent>>();
  BusyActor busy = busy_observer(world, heard_events);
};

Conditions batches_and_end() {
  return Conditions{}.set_trigger("after_batch", true).set_trigger("after_training", true);
}

} // namespace

TEST_CASE("an observer that keeps up misses nothing", "[observer]") {
  TrainerStage stage{{.step_duration = 1, .epochs = 20}};
  const auto events = stage.keep_events("a", every_callback());
  const auto finished = stage.run();
  CHECK(events->size() == 20 * 8 + 2);
  REQUIRE(finished.subscriptions.size() == 1);
  CHECK(finished.subscriptions.front() == SubscriptionReport{"a", 20 * 8 + 2, 0, 0});
  CHECK(stage.heard->texts(Level::warning).empty());
}

TEST_CASE("an observer that lags loses copies and slows nothing down", "[observer]") {
  ObserverStage stage{batches_and_end(), 4, in_no_time({}, 5)};
  const auto finished = stage.run();
  CHECK(finished.position.batches == 15);
  CHECK(finished.position.seconds == 0);
  const auto& heard = *stage.heard_events;
  REQUIRE(heard.size() == 5);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(heard[i].position.batches == i + 1);
    CHECK(heard[i].lost == 0);
  }
  CHECK(finished.subscriptions.front() == SubscriptionReport{"slow", 5, 11, 0});
}

TEST_CASE("the last callbacks reach even an observer that lags, and say what it missed",
          "[observer]") {
  ObserverStage stage{batches_and_end(), 2, in_no_time({}, 5)};
  stage.run();
  const auto& last = stage.heard_events->back();
  CHECK(last.callback == Callback::after_training);
  CHECK(last.lost == 13);
}

TEST_CASE("people are told which observers lost copies", "[observer]") {
  ObserverStage stage{batches_and_end(), 4, in_no_time({}, 5)};
  stage.run();
  const auto warnings = stage.heard->texts(Level::warning);
  REQUIRE(warnings.size() == 1);
  CHECK_THAT(warnings.front(), Catch::Contains("'slow'") && Catch::Contains("lost 11 of 16"));
}

TEST_CASE("an observer that catches up is told how many it missed", "[observer]") {
  ObserverStage stage{trigger("after_batch"), 2, {.step_duration = 1, .epochs = 10}};
  stage.start();
  stage.world.pass(5s + 500ms, 100ms);
  CHECK(stage.heard_events->size() == 2);
  stage.world.self->send(stage.busy, Resume{});
  stage.world.pass(2s, 100ms);
  const auto& heard = *stage.heard_events;
  REQUIRE(heard.size() == 4);
  CHECK(heard[2].position.batches == 6);
  CHECK(heard[2].lost == 3); // 3, 4, 5
  CHECK(heard[3].lost == 0);
}

TEST_CASE("an observer that answers with an error goes on hearing, and is reported once",
          "[observer]") {
  TrainerStage stage{in_no_time({}, 5)};
  const auto heard = std::make_shared<int>(0);
  const auto observer
    = stage.world.keep(stage.world.system.spawn([=](Observer::pointer) -> Observer::behavior_type {
        return {[=](const LoopEvent&) -> caf::result<void> {
          ++*heard;
          return fail(Error::io, "the disk is full");
        }};
      }));
  const auto window = GENERATE(1u, 4u, 1000u);
  stage.subscribe(Subscribe{
    .name = "a", .conditions = batches_and_end(), .observer = observer, .window = window});
  const auto finished = stage.run();
  CHECK(finished.outcome == Outcome::finished);
  CHECK(finished.subscriptions.front().lost + static_cast<std::uint64_t>(*heard) == 16);
  CHECK(*heard > 1);
  const auto warnings = stage.heard->texts(Level::warning);
  const auto of_failure = std::count_if(warnings.begin(), warnings.end(), [](const auto& text) {
    return text.find("'a' answered an event with an error: the disk is full") != text.npos;
  });
  CHECK(of_failure == 1);
}

TEST_CASE("unsubscribing returns how many copies were lost", "[observer]") {
  ObserverStage stage{trigger("after_batch"), 2, {.step_duration = 1}};
  stage.start();
  stage.world.pass(5s + 500ms, 100ms);
  const auto unsubscribed = stage.world.ask<Unsubscribed>(stage.trainer, Unsubscribe{1});
  REQUIRE(unsubscribed);
  CHECK(unsubscribed->lost == 3);
}

TEST_CASE("an event without requested parameters shares none", "[observer]") {
  TrainerStage stage{in_no_time({}, 1)};
  const auto events = stage.keep_events("a", trigger("after_batch"), Shows::parameters);
  stage.run();
  std::vector<float> values;
  for (const auto& event : *events)
    values.push_back(event.parameters.values.view()[0]);
  REQUIRE(values.size() == 3);
  CHECK(values[0] < values[1]); // each is of its version, not of the last
  CHECK(values[1] < values[2]);
}
