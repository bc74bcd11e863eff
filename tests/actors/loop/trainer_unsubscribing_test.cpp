// Extensions that unsubscribe, or end, in the middle of training.
#include "tests/support/trainer_stage.hpp"

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

/// Removes a subscription when it is asked after batch 2, and answers.
std::function<GateAnswer(const LoopEvent&)>
unsubscribing(Stage& stage, const std::shared_ptr<SubscriptionId>& id) {
  return [&stage, id](const LoopEvent& event) {
    if (event.position.batches == 2)
      caf::anon_send(stage.trainer, Unsubscribe{*id});
    return GateAnswer{};
  };
}

/// A gate that is not asked before it ends.
SubscribeGate unasked(const std::string& name, const Gate& gate, OnLoss on_end) {
  SubscribeGate subscribe{name, trigger("after_n_batches", batches(1000)), gate};
  subscribe.on_end = on_end;
  return subscribe;
}

} // namespace

TEST_CASE("an extension that another one unsubscribes is no longer asked at that moment", "[P15]") {
  TrainerStage stage{in_no_time({}, 1)};
  const auto second = std::make_shared<SubscriptionId>();
  stage.note("first", trigger("after_batch"), unsubscribing(stage, second));
  *second = stage.note("second", trigger("after_batch"));
  stage.run();
  CHECK(*stage.trace
        == std::vector<std::string>{"first after_batch 1", "second after_batch 1",
                                    "first after_batch 2", "first after_batch 3"});
}

TEST_CASE("an extension that unsubscribes while it is asked is not asked for its other conditions",
          "[P15]") {
  TrainerStage stage{in_no_time({}, 1)};
  const auto own = std::make_shared<SubscriptionId>();
  *own = stage.note("twice", trigger("after_batch").set_trigger("every_n_batches", batches(2)),
                    unsubscribing(stage, own));
  stage.run();
  CHECK(*stage.trace == std::vector<std::string>{"twice after_batch 1", "twice after_batch 2"});
}

TEST_CASE(
  "an unsubscribed extension is released at once: its name is free, and its end is harmless",
  "[P15]") {
  TrainerStage stage{{.step_duration = 1, .epochs = 1}};
  const auto gate = recording_gate(stage.world, stage.trace, "old");
  stage.start();
  stage.world.pass(500ms, 100ms);
  const auto id = stage.subscribe(SubscribeGate{"a", trigger("after_batch"), gate});
  REQUIRE(stage.world.ask<Unsubscribed>(stage.trainer, Unsubscribe{id}));
  CHECK_THAT(stage.refusal<Unsubscribed>(Unsubscribe{id}), Contains("no subscription"));
  stage.note("a", trigger("after_batch"));
  stage.kill(gate);
  stage.world.pass(5s, 100ms);
  CHECK(stage.finished().outcome == Outcome::finished);
  CHECK(stage.trace->size() == 3);
}

TEST_CASE("an actor that ends is lost to each of its subscriptions", "[P15][B13]") {
  TrainerStage stage{{.step_duration = 1, .epochs = 2}};
  const auto gate = recording_gate(stage.world, stage.trace);
  stage.subscribe(unasked("spare", gate, OnLoss::proceed));
  stage.subscribe(unasked("needed", gate, OnLoss::fail));
  stage.start();
  stage.world.pass(500ms, 100ms);
  stage.kill(gate);
  stage.world.pass(10s, 100ms);
  CHECK(stage.finished().outcome == Outcome::failed);
  CHECK_THAT(stage.finished().error, Contains("'needed' has ended"));
  CHECK_THAT(stage.heard->texts(Level::warning).front(), Contains("'spare' has ended"));
}
