#include "troupe/extensions/lambda_extension.hpp"
#include "troupe/tests/support/extension_stage.hpp"

using namespace troupe;
using namespace troupe::test;

TEST_CASE("a lambda is enough for a gate that writes a record", "[lambda extension][B28]") {
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

TEST_CASE("a lambda is enough for an observer", "[lambda extension][B28]") {
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

TEST_CASE("a lambda that throws fails training with the extension's name",
          "[lambda extension][B13]") {
  Stage stage;
  const auto gate
    = stage.world.keep(spawn_gate(stage.world.system, [](const LoopEvent&) -> GateAnswer {
        throw std::runtime_error("no more of this");
      }));
  stage.gate("angry", trigger("after_batch"), gate);
  const auto finished = stage.run();
  CHECK(finished.outcome == Outcome::failed);
  CHECK_THAT(finished.error, Catch::Contains("'angry'"));
}
