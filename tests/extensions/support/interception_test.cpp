// An extension between the trainer and another one, as in Blocks by overriding `dispatch`.
#include "tests/support/trainer_stage.hpp"

using namespace troupe;
using namespace troupe::test;

namespace {

/// Counts events, blocks those chosen by `blocks`, and forwards all others.
Gate wrapper(DeterministicSystem& world, const Gate& inner, std::shared_ptr<int> passed,
             std::shared_ptr<int> blocked, std::function<bool(const LoopEvent&)> blocks) {
  const auto behave = [=](Gate::pointer self) -> Gate::behavior_type {
    return {[=](const AskGate& ask) -> caf::result<GateAnswer> {
      if (blocks(ask.event)) {
        ++*blocked;
        return GateAnswer{};
      }
      ++*passed;
      return self->delegate(inner, ask);
    }};
  };
  return world.keep(world.system.spawn(behave));
}

} // namespace

TEST_CASE("an extension can wrap another one, count its calls and block some of them", "[B28]") {
  TrainerStage stage;
  const auto inner = recording_gate(stage.world, stage.trace, "inner", [](const LoopEvent&) {
    GateAnswer answer;
    answer.records["seen"] = Value{true};
    return answer;
  });
  const auto passed = std::make_shared<int>(0), blocked = std::make_shared<int>(0);
  stage.subscribe(SubscribeGate{"wrapper", trigger("after_batch"),
                                wrapper(stage.world, inner, passed, blocked, [](const auto& event) {
                                  return event.position.batches % 2 == 0;
                                })});
  stage.finish_after(5);
  stage.run();
  CHECK(*passed == 3);
  CHECK(*blocked == 2);
  CHECK(*stage.trace
        == std::vector<std::string>{"inner after_batch 1", "inner after_batch 3",
                                    "inner after_batch 5"});
  CHECK(stage.row(3).count("seen"));
  CHECK_FALSE(stage.row(4).count("seen"));
}

TEST_CASE("an extension can send events to another one instead", "[B28]") {
  TrainerStage stage;
  const auto first = recording_gate(stage.world, stage.trace, "first"),
             second = recording_gate(stage.world, stage.trace, "second");
  const auto behave = [=](Gate::pointer self) -> Gate::behavior_type {
    return {[=](const AskGate& ask) {
      return self->delegate(ask.event.position.batches < 2 ? first : second, ask);
    }};
  };
  stage.subscribe(SubscribeGate{"switch", trigger("after_batch"),
                                stage.world.keep(stage.world.system.spawn(behave))});
  stage.finish_after(3);
  stage.run();
  CHECK(*stage.trace
        == std::vector<std::string>{"first after_batch 1", "second after_batch 2",
                                    "second after_batch 3"});
}
