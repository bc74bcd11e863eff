#include "base/text/duration.hpp"
#include "tests/support/trainer_stage.hpp"

#include <caf/typed_event_based_actor.hpp>

using namespace troupe;
using namespace troupe::test;

namespace {

/// A gate that needs some seconds for its answer.
Gate slow_gate(DeterministicSystem& world, double seconds) {
  using Actor = Gate::extend<caf::reacts_to<CheckDeadlines>>;
  const auto behave = [=](Actor::pointer self) -> Actor::behavior_type {
    auto promise = std::make_shared<caf::typed_response_promise<GateAnswer>>();
    return {[=](const AskGate&) {
              *promise = self->make_response_promise<GateAnswer>();
              self->delayed_send(self, timespan_of(seconds), CheckDeadlines{});
              return *promise;
            },
            [=](const CheckDeadlines&) { promise->deliver(GateAnswer{}); }};
  };
  return world.keep(world.system.spawn(behave));
}

} // namespace

TEST_CASE("each(1 seconds) fires at the batch in which a second has passed", "[P9][B54]") {
  TrainerStage stage{{.toy = {.examples = 100}, .step_duration = 0.4, .epochs = 1}};
  const auto events = stage.keep_events("a", Conditions{}.when(each(1).seconds()));
  stage.run();
  std::vector<Index> at;
  for (const auto& event : *events)
    at.push_back(static_cast<Index>(event.position.batches));
  CHECK(at == std::vector<Index>{3, 5, 8, 10}); // 1.2, 2.0, 3.2, 4.0 s
}

TEST_CASE("a jump of the clock is one firing that counts", "[P4][P9]") {
  TrainerStage stage{{.toy = {.examples = 50}, .step_duration = 3.5, .epochs = 1}};
  const auto events = stage.keep_events("a", Conditions{}.when(each(1).seconds()));
  stage.run(500ms);
  REQUIRE(events->size() == 5);
  CHECK(events->at(0).times == 3);
  CHECK(events->at(1).times == 4);
}

TEST_CASE("a slow gate advances the seconds, but not the training seconds", "[P10]") {
  TrainerStage stage{{.step_duration = 1, .epochs = 1}};
  stage.subscribe(SubscribeGate{"slow", trigger("after_batch"), slow_gate(stage.world, 5)});
  const auto finished = stage.run();
  CHECK(finished.position.training_seconds == Approx(3));
  CHECK(finished.position.seconds == Approx(18));
  CHECK(finished.totals.gate_seconds == Approx(15));
  CHECK(finished.totals.reading_seconds == Approx(0).margin(1e-6));
  CHECK(finished.subscriptions.front().waited_seconds == Approx(15));
}

TEST_CASE("a gate of before_training counts as initialization", "[P10][B33]") {
  TrainerStage stage{{.step_duration = 1, .epochs = 1}};
  stage.subscribe(SubscribeGate{"slow", trigger("before_training"), slow_gate(stage.world, 5)});
  CHECK(stage.run().totals.initialization_seconds == Approx(5));
}

TEST_CASE("training_seconds schedules ignore the time of gates", "[P10]") {
  TrainerStage stage{{.toy = {.examples = 60}, .step_duration = 1, .epochs = 1}};
  stage.subscribe(SubscribeGate{"slow", trigger("after_batch"), slow_gate(stage.world, 5)});
  const auto events = stage.keep_events("a", Conditions{}.when(each(2).training_seconds()));
  stage.run();
  CHECK(events->size() == 3);
}

TEST_CASE("the seconds continue over a restart, without the time between", "[P9][B45]") {
  TrainerStage stage{{.step_duration = 1}};
  stage.finish_after(2);
  stage.finish_after(4);
  CHECK(stage.run().position.seconds == Approx(2));
  stage.world.advance(1h);
  CHECK(stage.run().position.seconds == Approx(4));
}

TEST_CASE("people are told what training waits for after 2 seconds, once", "[T12]") {
  TrainerStage stage{{.step_duration = 1, .epochs = 1}};
  stage.subscribe(SubscribeGate{"slow", trigger("before_training"), slow_gate(stage.world, 10)});
  stage.start();
  stage.world.pass(1900ms, 100ms);
  CHECK(stage.heard->lines.empty());
  stage.world.pass(1100ms, 100ms);
  const auto lines = stage.heard->texts();
  REQUIRE(lines.size() == 1);
  CHECK_THAT(lines.front(), Catch::Contains("has waited 2 s for extension 'slow'")
                              && Catch::Contains("before_training")
                              && Catch::Contains("deadline is 60 s"));
  stage.world.pass(20s, 100ms);
  CHECK(stage.heard->texts().size() == 1);
  CHECK(stage.ended());
}

TEST_CASE("a gate that answers in time is not reported", "[T12]") {
  TrainerStage stage{{.step_duration = 1, .epochs = 1}};
  stage.subscribe(SubscribeGate{"quick", trigger("after_batch"), slow_gate(stage.world, 1.5)});
  stage.run();
  CHECK(stage.heard->lines.empty());
}
