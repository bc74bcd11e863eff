#include "tests/support/trainer_stage.hpp"

using namespace troupe;
using namespace troupe::test;

namespace {

Conditions seldom() {
  Conditions conditions;
  for (const auto* name : {"before_training", "on_resumption", "before_epoch", "after_epoch",
                           "on_interrupt", "on_error", "after_training"})
    conditions.set_trigger(name, true);
  return conditions;
}

} // namespace

TEST_CASE("training that is started again continues in the same epoch", "[B8]") {
  TrainerStage stage{in_no_time({.examples = 10, .batch_size = 1})};
  stage.note("a", seldom());
  stage.finish_after(14);
  stage.finish_after(27);
  CHECK(stage.run().position.batches == 14);
  CHECK(*stage.trace
        == std::vector<std::string>{"a before_training 0", "a before_epoch 0", "a after_epoch 10",
                                    "a before_epoch 10", "a after_training 14"});
  stage.trace->clear();
  const auto finished = stage.run();
  CHECK(finished.position.batches == 27);
  CHECK(finished.position.epochs == 2);
  CHECK(text_of(stage.problem->asked()) == "0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6");
  CHECK(*stage.trace
        == std::vector<std::string>{"a before_training 14", "a on_resumption 14",
                                    "a after_epoch 20", "a before_epoch 20",
                                    "a after_training 27"});
}

TEST_CASE("an epoch that was left at its last batch is closed before the next one", "[B7][B8]") {
  TrainerStage stage{in_no_time()};
  stage.note("a", seldom());
  stage.finish_after(3);
  stage.finish_after(4);
  CHECK(stage.run().position.epochs == 0);
  stage.trace->clear();
  stage.run();
  CHECK(*stage.trace
        == std::vector<std::string>{"a before_training 3", "a on_resumption 3", "a after_epoch 3",
                                    "a before_epoch 3", "a after_training 4"});
}

TEST_CASE("one interrupt finishes the epoch", "[B9]") {
  TrainerStage stage{{.toy = {.examples = 100}, .step_duration = 1}};
  stage.note("a", seldom());
  stage.start();
  stage.world.pass(3s + 500ms, 100ms);
  stage.send(Stop{StopLevel::after_epoch, "Ctrl-C", true});
  CHECK(text_in(stage.run_status(), "epoch_interrupt_received") == "true");
  CHECK(text_in(stage.row(3), "epoch_interrupt_received") == "true");
  stage.world.pass(60s, 100ms);
  const auto finished = stage.finished();
  CHECK(finished.position.batches == 10);
  CHECK(finished.outcome == Outcome::interrupted);
  CHECK(finished.causes == std::vector<std::string>{"Ctrl-C"});
  CHECK(*stage.trace
        == std::vector<std::string>{"a before_training 0", "a before_epoch 0", "a after_epoch 10",
                                    "a on_interrupt 10", "a after_training 10"});
}

TEST_CASE("two interrupts finish the batch, and after_training runs", "[B10][B12]") {
  TrainerStage stage{{.toy = {.examples = 100}, .step_duration = 1}};
  stage.note("a", every_callback());
  stage.start();
  stage.world.pass(3s + 500ms, 100ms);
  stage.send(Stop{StopLevel::after_epoch, "Ctrl-C", true});
  stage.send(Stop{StopLevel::after_batch, "Ctrl-C again", true});
  CHECK(text_in(stage.run_status(), "batch_interrupt_received") == "true");
  stage.world.pass(2s, 100ms);
  const auto finished = stage.finished();
  CHECK(finished.position.batches == 4);
  CHECK(finished.causes == std::vector<std::string>{"Ctrl-C again", "Ctrl-C"});
  const auto& trace = *stage.trace;
  REQUIRE(trace.size() > 3);
  CHECK(std::vector<std::string>(trace.end() - 3, trace.end())
        == std::vector<std::string>{"a after_batch 4", "a on_interrupt 4", "a after_training 4"});
}

TEST_CASE("three interrupts end training at once, without any callback", "[B11]") {
  TrainerStage stage{{.step_duration = 1}};
  stage.note("a", every_callback());
  stage.start();
  stage.world.pass(1s + 500ms, 100ms);
  const auto heard = stage.trace->size();
  stage.send(Stop{StopLevel::now, "Ctrl-C a third time", true});
  const auto finished = stage.finished();
  CHECK(finished.outcome == Outcome::interrupted);
  CHECK(finished.causes == std::vector<std::string>{"Ctrl-C a third time"});
  stage.world.pass(60s, 1s);
  CHECK(stage.trace->size() == heard);
}

TEST_CASE("training that was ended at once can be started again", "[B8][B11]") {
  TrainerStage stage{{.toy = {.examples = 10, .batch_size = 1}, .step_duration = 1}};
  stage.note("a", seldom());
  stage.finish_after(5);
  stage.start();
  stage.world.pass(2s + 500ms, 100ms); // in the middle of the third batch
  stage.send(Stop{StopLevel::now, "now", true});
  CHECK(stage.finished().position.batches == 2);
  stage.trace->clear();
  const auto finished = stage.run();
  CHECK(finished.position.batches == 5);
  CHECK(text_of(stage.problem->asked()) == "0 1 2 3 4");
  CHECK(
    *stage.trace
    == std::vector<std::string>{"a before_training 2", "a on_resumption 2", "a after_training 5"});
}

TEST_CASE("an immediate end does not wait for the awaited gate", "[B11]") {
  TrainerStage stage{in_no_time({}, 1)};
  stage.note("before", seldom());
  stage.subscribe(SubscribeGate{"silent", trigger("before_training"), silent_gate(stage.world)});
  stage.note("after", seldom());
  stage.start();
  stage.world.run();
  CHECK(stage.status().waiting_for == "silent");
  stage.send(Stop{StopLevel::now, "now", false});
  CHECK(stage.finished().outcome == Outcome::interrupted);
  CHECK(stage.status().waiting_for.empty());
  CHECK(*stage.trace == std::vector<std::string>{"before before_training 0"});
  stage.start(); // it begins with the first gate again
  stage.world.run();
  stage.world.advance(61s); // the deadline
  CHECK(stage.trace->at(1) == "before before_training 0");
}

TEST_CASE("on_interrupt is for ends from outside only", "[B12]") {
  TrainerStage stage{{.step_duration = 1}};
  stage.note("a", seldom());
  stage.start();
  stage.world.pass(1s + 500ms, 100ms);
  stage.send(Stop{StopLevel::after_batch, "the time is over", false});
  stage.world.pass(1s, 100ms);
  CHECK(stage.finished().outcome == Outcome::finished);
  CHECK(stage.trace->back() == "a after_training 2");
  CHECK(std::count(stage.trace->begin(), stage.trace->end(), "a on_interrupt 2") == 0);
}

TEST_CASE("on_interrupt fires once, even after several interrupts", "[B12]") {
  TrainerStage stage{{.step_duration = 1}};
  stage.note("a", seldom());
  stage.start();
  stage.world.pass(1s + 500ms, 100ms);
  for (auto i = 0; i < 3; ++i)
    stage.send(Stop{StopLevel::after_batch, "Ctrl-C", true});
  stage.world.pass(1s, 100ms);
  CHECK(stage.finished().outcome == Outcome::interrupted);
  CHECK(std::count(stage.trace->begin(), stage.trace->end(), "a on_interrupt 2") == 1);
}

TEST_CASE("a stop has no effect on a trainer that does not train", "[B9]") {
  TrainerStage stage{in_no_time({}, 1)};
  stage.send(Stop{StopLevel::now, "too early", true});
  CHECK(stage.run().outcome == Outcome::finished);
  stage.send(Stop{StopLevel::now, "too late", true});
  CHECK(stage.finished().outcome == Outcome::finished);
  CHECK(text_in(stage.run_status(), "outcome") == "finished");
}

TEST_CASE("a trainer that trains is not started again", "[B8]") {
  TrainerStage stage{{.step_duration = 1}};
  stage.start();
  stage.world.pass(1s, 500ms);
  CHECK_THAT(stage.refusal<Finished>(Start{}), Catch::Contains("training already"));
}
