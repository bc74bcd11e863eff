// Gates between a batch's gradient and its update.
#include "tests/support/trainer_stage.hpp"

using namespace troupe;
using namespace troupe::test;

namespace {

Conditions around_the_update() {
  return trigger("before_batch")
    .set_trigger("before_update", true)
    .set_trigger("after_batch", true);
}

/// A worker whose steps are w <- w - gradient: one batch of rows 0 and 1, w from 0.
StageOptions unit_steps() {
  return in_no_time({.examples = 2, .batch_size = 2, .learning_rate = 1});
}

} // namespace

TEST_CASE("before_update is called when the gradient exists and the batch is not counted yet",
          "[trainer][update]") {
  TrainerStage stage;
  stage.note("a", around_the_update());
  stage.finish_after(2);
  stage.run();
  CHECK(*stage.trace
        == std::vector<std::string>{"a before_batch 0", "a before_update 0", "a after_batch 1",
                                    "a before_batch 1", "a before_update 1", "a after_batch 2"});
}

TEST_CASE("a gate before the update sees the gradient and the parameters that it changes",
          "[trainer][update]") {
  TrainerStage stage{unit_steps()};
  std::vector<float> seen;
  SubscribeGate gate{"look", trigger("before_update"),
                     recording_gate(stage.world, stage.trace, "",
                                    [&](const LoopEvent& event) {
                                      seen.push_back(event.parameters.values.view()[0]);
                                      seen.push_back(event.gradient.view()[0]);
                                      return GateAnswer{};
                                    }),
                     Shows::gradients};
  stage.subscribe(gate);
  stage.finish_after(2);
  const auto finished = stage.run();
  CHECK(seen == std::vector<float>{0, -1, 1, -0.5f}); // the gradient is (w - 2) / 2
  CHECK(finished.parameters.values == Block::copy_of(std::vector<float>{1.5f}));
}

TEST_CASE("gates before the update replace the gradient one after the other", "[trainer][update]") {
  TrainerStage stage{unit_steps()};
  const auto scaled = [&](const std::string& name, float factor) {
    SubscribeGate gate{name, trigger("before_update"),
                       recording_gate(stage.world, stage.trace, name,
                                      [factor](const LoopEvent& event) {
                                        GateAnswer answer;
                                        answer.gradient = Block::copy_of(
                                          std::vector<float>{factor * event.gradient.view()[0]});
                                        return answer;
                                      }),
                       Shows::gradients};
    stage.subscribe(gate);
  };
  scaled("twice", 2);
  scaled("thrice", 3);
  stage.finish_after(1);
  CHECK(stage.run().parameters.values == Block::copy_of(std::vector<float>{6}));
}

TEST_CASE("a gradient given at another moment fails training with a sentence",
          "[trainer][update]") {
  TrainerStage stage{unit_steps()};
  stage.note("late", trigger("after_batch"), [](const LoopEvent&) {
    GateAnswer answer;
    answer.gradient = Block{1};
    return answer;
  });
  stage.finish_after(1);
  const auto finished = stage.run();
  CHECK(finished.outcome == Outcome::failed);
  CHECK_THAT(finished.error, Catch::Contains("subscribe it to before_update"));
}

TEST_CASE("a gradient of another size fails training with a sentence", "[trainer][update]") {
  TrainerStage stage{unit_steps()};
  stage.note("wrong", trigger("before_update"), [](const LoopEvent&) {
    GateAnswer answer;
    answer.gradient = Block{3};
    return answer;
  });
  const auto finished = stage.run();
  CHECK(finished.outcome == Outcome::failed);
  CHECK_THAT(finished.error, Catch::Contains("a gradient of 3 elements"));
}

TEST_CASE("the time of gates before the update counts as waiting, not as training",
          "[trainer][update]") {
  TrainerStage stage{{.step_duration = 1}};
  stage.subscribe(SubscribeGate{"slow", trigger("before_update"), silent_gate(stage.world),
                                Shows::nothing, 2, OnLoss::proceed});
  stage.finish_after(3);
  const auto finished = stage.run();
  CHECK(finished.totals.gate_seconds == Approx(6));
  CHECK(finished.position.training_seconds == Approx(3));
  CHECK(finished.position.seconds == Approx(9));
}

TEST_CASE("a run that is stopped before an update trains the batch again when it is restarted",
          "[trainer][update]") {
  TrainerStage stage{unit_steps()};
  const auto silent
    = stage.subscribe(SubscribeGate{"silent", trigger("before_update"), silent_gate(stage.world)});
  stage.start();
  stage.world.run();
  stage.send(Stop{StopLevel::now, "at once", false});
  REQUIRE(stage.ended());
  CHECK(stage.finished().position.batches == 0);
  REQUIRE(stage.world.ask<Unsubscribed>(stage.trainer, Unsubscribe{silent}));
  stage.finish_after(1);
  CHECK(stage.run().parameters.values == Block::copy_of(std::vector<float>{1}));
  CHECK(stage.problem->asked() == std::vector<Index>{0, 1, 0, 1});
}
