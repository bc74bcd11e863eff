#include "extensions/support/lambda_extension.hpp"
#include "tests/support/extension_stage.hpp"

using namespace troupe;
using namespace troupe::test;

TEST_CASE("a lambda can be a gate that writes a record", "[lambda extension][B28]") {
  Stage stage;
  const auto gate = stage.world.keep(spawn_gate(stage.world.system, [](const LoopEvent& event) {
    GateAnswer answer;
    answer.records["double"] = Value{2.0 * static_cast<double>(event.position.batches)};
    return answer;
  }));
  stage.gate("double", trigger("after_batch"), gate);
  stage.finish_after(3);
  stage.run();
  CHECK(number_in(stage.row(3), "double") == 6);
}

TEST_CASE("a lambda can be an observer", "[lambda extension][B28]") {
  Stage stage;
  const auto seen = std::make_shared<std::vector<Step>>();
  const auto observer
    = stage.world.keep(spawn_observer(stage.world.system, [seen](const LoopEvent& event) {
        seen->push_back(event.position.batches);
      }));
  REQUIRE(stage.world.ask<Subscribed>(stage.trainer,
                                      Subscribe{"look", trigger("after_batch"), observer}));
  stage.finish_after(3);
  stage.run();
  CHECK(*seen == std::vector<Step>{1, 2, 3});
}

TEST_CASE("a lambda that throws ends training with the extension's name and the message",
          "[lambda extension][B13]") {
  Stage stage;
  const auto gate
    = stage.world.keep(spawn_gate(stage.world.system, [](const LoopEvent&) -> GateAnswer {
        throw std::runtime_error("no more of this");
      }));
  stage.gate("angry", trigger("after_batch"), gate);
  const auto finished = stage.run();
  CHECK(finished.outcome == Outcome::failed);
  CHECK_THAT(finished.error,
             Catch::Contains("'angry' failed at after_batch of batch 1: no more of this"));
}

TEST_CASE("a lambda that threw is not asked again if training continues",
          "[lambda extension][B15]") {
  Stage stage;
  const auto calls = std::make_shared<int>(0);
  const auto gate
    = stage.world.keep(spawn_gate(stage.world.system, [calls](const LoopEvent&) -> GateAnswer {
        ++*calls;
        throw 42;
      }));
  SubscribeGate subscription{"angry", trigger("after_batch"), gate};
  subscription.on_end = OnLoss::proceed;
  REQUIRE(stage.world.ask<Subscribed>(stage.trainer, subscription));
  stage.finish_after(3);
  const auto finished = stage.run();
  CHECK(finished.outcome == Outcome::finished);
  CHECK(finished.position.batches == 3);
  CHECK(*calls == 1);
  const auto warnings = stage.heard->texts(Level::warning);
  REQUIRE_FALSE(warnings.empty());
  CHECK_THAT(warnings.front(),
             Catch::Contains("'angry'") && Catch::Contains("not a std::exception"));
}
