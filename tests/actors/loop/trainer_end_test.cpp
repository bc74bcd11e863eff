// One of several workers ends together with the others if an extension acts for all of them.
#include "tests/support/trainer_stage.hpp"

using namespace troupe;
using namespace troupe::test;

namespace {

using Reasons = std::vector<std::string>;

/// A trainer with an actor that would end all workers.
class TogetherStage : public TrainerStage {
public:
  TogetherStage() {
    const auto asked = asked_;
    const auto behave = [=](RunStopper::pointer) -> RunStopper::behavior_type {
      return {[=](const StopAll& stop) { asked->push_back(stop.reason); }};
    };
    world.self->send(trainer, EndTogether{world.keep(world.system.spawn(behave))});
    note("first", seldom());
  }

  static Conditions seldom() {
    Conditions conditions;
    for (const auto* name : {"before_epoch", "after_epoch", "after_training"})
      conditions.set_trigger(name, true);
    return conditions;
  }

  /// Requests the end after each epoch.
  void wish_end(bool main_only) {
    SubscribeGate wish{"wish", trigger("after_epoch"),
                       recording_gate(world, new_trace(), "wish", [](const LoopEvent& event) {
                         GateAnswer answer;
                         answer.finish = event.position.epochs == 1;
                         answer.reason = "it is good enough";
                         answer.further_reasons = {"and late"};
                         return answer;
                       })};
    wish.main_only = main_only;
    subscribe(wish);
    note("last", trigger("after_epoch"));
  }

  void start_and_wish() {
    wish_end(true);
    start();
    world.run();
  }

  Step stand(Step batches) {
    const auto standing = world.ask<Quiesced>(trainer, Quiesce{batches});
    REQUIRE(standing);
    return standing->position.batches;
  }

  const Reasons& asked() const { return *asked_; }

private:
  std::shared_ptr<Reasons> asked_ = std::make_shared<Reasons>();
};

} // namespace

TEST_CASE("if a main extension requests the end, the trainer holds until all are stopped",
          "[B41][L8]") {
  TogetherStage stage;
  stage.start_and_wish();
  CHECK_FALSE(stage.ended());
  CHECK(stage.asked() == Reasons{"it is good enough; and late"});
  const Reasons until_then{"first before_epoch 0", "first after_epoch 3", "last after_epoch 3"};
  CHECK(*stage.trace == until_then);
  stage.send(Stop{StopLevel::after_batch, stage.asked().front(), false});
  const auto finished = stage.finished();
  CHECK(finished.outcome == Outcome::finished);
  CHECK(finished.causes == stage.asked());
  CHECK(finished.position.batches == 3);
  CHECK(stage.trace->back() == "first after_training 3");
}

TEST_CASE("a trainer that holds for the common end continues for another worker that waits",
          "[quiescence][L8]") {
  TogetherStage stage;
  stage.start_and_wish();
  CHECK(stage.stand(0) == 3);
  CHECK(stage.trace->back() == "last after_epoch 3");
  CHECK(stage.stand(1) == 4);
  stage.send(Stop{StopLevel::after_batch, "it is good enough", false});
  CHECK_FALSE(stage.ended()); // a state may be taken before it resumes
  stage.send(LeaveQuiescence{});
  CHECK(stage.finished().position.batches == 4);
  CHECK(stage.asked().size() == 1);
}

TEST_CASE("a quiescence that ends leaves the trainer waiting for the common end", "[quiescence]") {
  TogetherStage stage;
  stage.start_and_wish();
  CHECK(stage.stand(0) == 3);
  stage.send(LeaveQuiescence{});
  CHECK(stage.status().position.batches == 3);
  stage.send(Stop{StopLevel::after_batch, "it is good enough", false});
  CHECK(stage.finished().position.batches == 3);
}

TEST_CASE("an end that a worker's own extension requests is that worker's", "[B41][L8]") {
  TogetherStage stage;
  stage.wish_end(false);
  CHECK(stage.run().causes == Reasons{"it is good enough", "and late"});
  CHECK(stage.asked().empty());
}

TEST_CASE("the loss of a main extension can end all workers", "[P2][L8]") {
  TogetherStage stage;
  SubscribeGate silent{"silent", trigger("after_epoch"), silent_gate(stage.world)};
  silent.main_only = true;
  silent.on_deadline = OnLoss::finish;
  stage.subscribe(silent);
  stage.start();
  stage.world.pass(61s, 1s);
  CHECK_FALSE(stage.ended());
  REQUIRE(stage.asked().size() == 1);
  CHECK_THAT(stage.asked().front(), Catch::Contains("'silent' did not answer"));
  stage.send(Stop{StopLevel::after_batch, "all end", false});
  CHECK(stage.ended());
}

TEST_CASE("a trainer that holds for the common end fails if an extension that it needs ends",
          "[B41][P2][L8]") {
  TogetherStage stage;
  const auto needed = recording_gate(stage.world, new_trace(), "needed");
  SubscribeGate subscription{"needed", trigger("after_epoch"), needed};
  subscription.on_end = OnLoss::fail;
  stage.subscribe(subscription);
  stage.start_and_wish();
  REQUIRE(stage.asked().size() == 1);
  SECTION("by itself") { stage.kill(needed); }
  SECTION("after the quiescence in which it ends") {
    CHECK(stage.stand(0) == 3);
    stage.kill(needed);
    CHECK_FALSE(stage.ended()); // a state may be taken before it resumes
    stage.send(LeaveQuiescence{});
  }
  REQUIRE(stage.ended());
  CHECK(stage.finished().outcome == Outcome::failed);
  CHECK_THAT(stage.finished().error, Catch::Contains("'needed' has ended"));
}
