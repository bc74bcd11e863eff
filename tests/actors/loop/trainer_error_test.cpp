#include "tests/support/trainer_stage.hpp"

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

/// A gate whose handler throws.
Gate throwing_gate(DeterministicSystem& world) {
  const auto behave = [](Gate::pointer) -> Gate::behavior_type {
    return {[](const AskGate&) -> GateAnswer { throw std::runtime_error("a defect"); }};
  };
  return world.keep(world.system.spawn(behave));
}

/// A gate that answers with an error.
Gate refusing_gate(DeterministicSystem& world, const std::string& why) {
  const auto behave = [=](Gate::pointer) -> Gate::behavior_type {
    return {[=](const AskGate&) -> caf::result<GateAnswer> { return fail(Error::io, why); }};
  };
  return world.keep(world.system.spawn(behave));
}

Conditions the_end() {
  return Conditions{}
    .set_trigger("on_error", true)
    .set_trigger("on_interrupt", true)
    .set_trigger("after_training", true);
}

} // namespace

TEST_CASE("an extension that throws fails training, and on_error says so", "[B13]") {
  TrainerStage stage;
  stage.note("before", the_end());
  stage.subscribe(
    SubscribeGate{"fragile", trigger("after_n_batches", batches(2)), throwing_gate(stage.world)});
  const auto events = stage.keep_events("events", the_end());
  const auto finished = stage.run();
  CHECK(finished.outcome == Outcome::failed);
  CHECK_THAT(finished.error, Contains("worker 0") && Contains("'fragile'"));
  CHECK(finished.position.batches == 2);
  CHECK(*stage.trace == std::vector<std::string>{"before on_error 2"});
  CHECK(text_in(stage.row(2), "got_exception") == finished.error);
  CHECK(text_in(stage.run_status(), "outcome") == "failed");
  CHECK(text_in(stage.run_status(), "training_finished") == "false");
  CHECK(stage.status().phase == "failed");
  REQUIRE(events->size() == 1);
  CHECK(events->front().reason == finished.error);
  CHECK(events->front().done);
}

TEST_CASE("an extension that answers with an error fails training", "[B13]") {
  TrainerStage stage;
  stage.note("end", the_end());
  stage.subscribe(SubscribeGate{"checkpoint", trigger("after_n_batches", batches(2)),
                                refusing_gate(stage.world, "the disk is full")});
  const auto finished = stage.run();
  CHECK_THAT(finished.error, Contains("'checkpoint'") && Contains("after_batch of batch 2")
                               && Contains("the disk is full"));
  CHECK(*stage.trace == std::vector<std::string>{"end on_error 2"});
}

TEST_CASE("a row that cannot be read fails training with the reason", "[B13]") {
  TrainerStage stage;
  stage.note("end", the_end());
  stage.problem->poison(13);
  const auto finished = stage.run();
  CHECK(finished.outcome == Outcome::failed);
  CHECK_THAT(finished.error, Contains("row 13 cannot be read"));
  CHECK(finished.position.batches == 1);
  CHECK(*stage.trace == std::vector<std::string>{"end on_error 1"});
  CHECK(text_in(stage.row(1), "got_exception") == finished.error);
}

TEST_CASE("a loss that is not finite fails training and names the batch", "[B13]") {
  TrainerStage stage{in_no_time({.learning_rate = 1e9f})};
  const auto finished = stage.run();
  CHECK(finished.outcome == Outcome::failed);
  CHECK_THAT(finished.error, Contains("not finite") && Contains("batch"));
}

TEST_CASE("an answer that cannot be applied fails training", "[B13]") {
  TrainerStage stage;
  GateAnswer answer;
  SECTION("parameters of another size") { answer.parameters = Block{5}; }
  SECTION("an unknown setting") { answer.settings["momentum"] = 1; }
  SECTION("a learning rate below 0") { answer.settings["learning_rate"] = -1; }
  SECTION("an unregistered timeline") { answer.timelines["tokens"] = 1; }
  stage.note("wrong", trigger("after_n_batches", batches(2)),
             [&](const LoopEvent&) { return answer; });
  CHECK_THAT(stage.run().error, Contains("'wrong'") && Contains("cannot be applied"));
}

TEST_CASE("an error in after_training or before_training also goes to on_error", "[B13]") {
  TrainerStage stage{in_no_time({}, 1)};
  const auto* callback = GENERATE("before_training", "after_training");
  stage.note("end", Conditions{}.set_trigger("on_error", true));
  stage.subscribe(SubscribeGate{"a", trigger(callback), refusing_gate(stage.world, "no")});
  CHECK(stage.run().outcome == Outcome::failed);
  CHECK(stage.trace->size() == 1);
}

TEST_CASE("training that failed can be started again", "[B13]") {
  TrainerStage stage{in_no_time({}, 1)};
  stage.problem->poison(13);
  CHECK(stage.run().outcome == Outcome::failed);
  stage.problem->poison(-1);
  const auto finished = stage.run();
  CHECK(finished.outcome == Outcome::finished);
  CHECK(finished.error.empty());
  CHECK(finished.position.batches == 3);
}

TEST_CASE("if on_error fails, the other handlers run and the first error is kept", "[B14]") {
  TrainerStage stage;
  const auto failing = [&stage](const std::string& name) {
    stage.subscribe(SubscribeGate{name, trigger("on_error"),
                                  refusing_gate(stage.world, name + " fails as well")});
  };
  stage.problem->poison(13);
  stage.note("a", the_end());
  failing("b");
  stage.note("c", the_end());
  failing("d");
  stage.note("e", the_end());
  const auto finished = stage.run();
  CHECK(*stage.trace == std::vector<std::string>{"a on_error 1", "c on_error 1", "e on_error 1"});
  CHECK_THAT(finished.error, Contains("row 13 cannot be read") && !Contains("as well"));
  const auto errors = stage.heard->texts(Level::error);
  REQUIRE(errors.size() == 2);
  CHECK_THAT(errors[0], Contains("b fails as well"));
  CHECK_THAT(errors[1], Contains("d fails as well"));
}

TEST_CASE("a handler of on_error that dies does not stop the others", "[B14][B15]") {
  TrainerStage stage;
  stage.problem->poison(13);
  stage.subscribe(SubscribeGate{"fragile", trigger("on_error"), throwing_gate(stage.world)});
  stage.note("last", the_end());
  const auto finished = stage.run();
  CHECK_THAT(finished.error, Contains("row 13"));
  CHECK(*stage.trace == std::vector<std::string>{"last on_error 1"});
}
