#include "tests/support/trainer_stage.hpp"

using namespace troupe;
using namespace troupe::test;

namespace {

Value count(std::int64_t n) { return Value{n}; }

GateAnswer records(const std::string& name, Value value) {
  GateAnswer answer;
  answer.records[name] = std::move(value);
  return answer;
}

GateAnswer finish(const std::string& reason) {
  GateAnswer answer;
  answer.finish = true;
  answer.reason = reason;
  return answer;
}

} // namespace

TEST_CASE("gates are asked in the order of subscription, at every callback", "[B2][P13]") {
  TrainerStage stage{in_no_time({}, 1)};
  stage.note("a", every_callback());
  stage.note("b", every_callback());
  stage.note("c", every_callback());
  stage.run();
  const auto& trace = *stage.trace;
  REQUIRE(trace.size() == 3 * 10);
  for (std::size_t i = 0; i < trace.size(); i += 3) {
    const auto moment = trace[i].substr(2);
    CHECK(trace[i] == "a " + moment);
    CHECK(trace[i + 1] == "b " + moment);
    CHECK(trace[i + 2] == "c " + moment);
  }
}

TEST_CASE("a gate that has answered leaves no timer behind", "[B13]") {
  const auto timers_after = [](Epoch epochs) {
    TrainerStage stage{in_no_time({}, epochs)};
    stage.note("gate", every_callback());
    stage.run();
    CHECK(stage.trace->size() > 8 * epochs);
    return stage.world.timers();
  };
  CHECK(timers_after(9) == timers_after(1));
}

TEST_CASE("a later gate may depend on what an earlier one recorded in the row", "[B2][B5][B24]") {
  TrainerStage stage{in_no_time({}, 2)};
  stage.note("early", trigger("after_batch"), [](const LoopEvent& event) {
    return records("even", Value{event.position.batches % 2 == 0});
  });
  stage.note("late", Conditions{}.add_condition({"after_batch"}, on_record("even")));
  stage.run();
  std::vector<std::string> late;
  for (const auto& line : *stage.trace)
    if (line.substr(0, 4) == "late")
      late.push_back(line);
  CHECK(
    late
    == std::vector<std::string>{"late after_batch 2", "late after_batch 4", "late after_batch 6"});
}

TEST_CASE("before_batch of batch k writes to row k - 1, later callbacks to row k", "[B3]") {
  TrainerStage stage{in_no_time({}, 2)};
  const auto note = [&stage](const std::string& callback) {
    stage.note(callback, trigger(callback),
               [callback, calls = std::make_shared<std::int64_t>()](const LoopEvent&) {
                 return records(callback, count(++*calls)); // the number of the call
               });
  };
  for (const auto* callback : {"before_training", "before_epoch", "before_batch", "after_batch",
                               "after_epoch", "after_training"})
    note(callback);
  stage.run();
  CHECK(stage.row(0)
        == Records{
          {"before_training", count(1)}, {"before_epoch", count(1)}, {"before_batch", count(1)}});
  CHECK(stage.row(1) == Records{{"after_batch", count(1)}, {"before_batch", count(2)}});
  CHECK(stage.row(2) == Records{{"after_batch", count(2)}, {"before_batch", count(3)}});
  CHECK(stage.row(3)
        == Records{{"after_batch", count(3)},
                   {"after_epoch", count(1)},
                   {"before_epoch", count(2)},
                   {"before_batch", count(4)}});
  CHECK(
    stage.row(6)
    == Records{{"after_batch", count(6)}, {"after_epoch", count(2)}, {"after_training", count(1)}});
}

TEST_CASE("the row of a callback has its epoch and time", "[B3]") {
  TrainerStage stage{{.step_duration = 2, .epochs = 1}};
  stage.note("a", trigger("after_epoch"),
             [](const LoopEvent&) { return records("x", Value{true}); });
  stage.run();
  const auto row = stage.world.ask<Row>(stage.logger, ReadRow{{0, 3}, true});
  REQUIRE(row);
  CHECK(row->epoch == 1);
  CHECK(row->seconds == Approx(6));
}

TEST_CASE("the log contains the status of the run", "[B4]") {
  TrainerStage stage;
  stage.finish_after(4);
  stage.run();
  const auto status = stage.run_status();
  CHECK(text_in(status, "batches_done") == "4");
  CHECK(text_in(status, "epochs_done") == "1");
  CHECK(text_in(status, "examples_done") == "40");
  CHECK(text_in(status, "batches_per_epoch") == "3");
  CHECK(text_in(status, "epoch_ends") == "3");
  CHECK(text_in(status, "training_started") == "true");
  CHECK(text_in(status, "received_first_batch") == "true");
  CHECK(text_in(status, "epoch_started") == "true");
  CHECK(text_in(status, "training_finished") == "true");
  CHECK(text_in(status, "epoch_interrupt_received") == "false");
  CHECK(text_in(status, "batch_interrupt_received") == "false");
  CHECK(text_in(status, "outcome") == "finished");
  CHECK(text_in(status, "reason") == "it is enough");
}

TEST_CASE("the status can be read during training", "[B4][B47]") {
  TrainerStage stage{{.step_duration = 1}};
  stage.start();
  stage.world.pass(4s, 500ms);
  CHECK(text_in(stage.run_status(), "epochs_done") == "1");
  CHECK(text_in(stage.run_status(), "training_finished") == "false");
}

TEST_CASE("any gate may end training, with its reason in the row", "[B5][P11]") {
  TrainerStage stage;
  stage.note("plugin", trigger("after_batch"), [](const LoopEvent& event) {
    return event.position.batches == 5 ? finish("five are enough") : GateAnswer{};
  });
  const auto finished = stage.run();
  CHECK(finished.position.batches == 5);
  CHECK(finished.outcome == Outcome::finished);
  CHECK(finished.causes == std::vector<std::string>{"five are enough"});
  CHECK(text_in(stage.row(5), "training_finish_requested") == "five are enough");
}

TEST_CASE("a gate without a reason is named as the cause", "[B5]") {
  TrainerStage stage;
  stage.note("plugin", trigger("before_training"), [](const LoopEvent&) { return finish(""); });
  const auto finished = stage.run();
  CHECK(finished.causes == std::vector<std::string>{"'plugin' asked for it"});
  CHECK(finished.position.batches == 0);
}

TEST_CASE("training ends after all gates have seen the callback", "[B6][P13]") {
  TrainerStage stage;
  stage.note("first", trigger("after_batch"), [](const LoopEvent&) { return finish("enough"); });
  stage.note("second", trigger("after_batch"));
  stage.note("third", trigger("after_batch"), [](const LoopEvent&) { return finish("me too"); });
  const auto finished = stage.run();
  CHECK(*stage.trace
        == std::vector<std::string>{"first after_batch 1", "second after_batch 1",
                                    "third after_batch 1"});
  CHECK(finished.causes == std::vector<std::string>{"enough", "me too"});
}

TEST_CASE("an end in the middle of an epoch skips after_epoch", "[B7]") {
  TrainerStage stage{in_no_time({.examples = 100})};
  stage.note("a",
             Conditions{}.set_trigger("after_epoch", true).set_trigger("after_training", true));
  stage.finish_after(14);
  const auto finished = stage.run();
  CHECK(finished.position.batches == 14);
  CHECK(finished.position.epochs == 1);
  CHECK(*stage.trace == std::vector<std::string>{"a after_epoch 10", "a after_training 14"});
}

TEST_CASE("data of no batch is an error, not an endless loop", "[B16]") {
  TrainerStage stage{in_no_time({.examples = 5, .drop_last = true})};
  stage.note("a", every_callback());
  CHECK_THAT(stage.refusal<Finished>(Start{}),
             Catch::Contains("no batch") && Catch::Contains("'toy'"));
  CHECK(stage.trace->empty());
  CHECK(stage.status().phase == "idle");
}

TEST_CASE("data that ends is a success, and after_training runs", "[B17][T16]") {
  TrainerStage stage{in_no_time({}, 1)};
  stage.note("a", trigger("after_training"));
  const auto finished = stage.run();
  CHECK(finished.outcome == Outcome::finished);
  CHECK(finished.causes == std::vector<std::string>{"the data ended"});
  CHECK(finished.position.epochs == 1);
  CHECK(*stage.trace == std::vector<std::string>{"a after_training 3"});
  CHECK(text_in(stage.run_status(), "training_finished") == "true");
}

TEST_CASE("gates never see half a batch", "[P1]") {
  TrainerStage stage{in_no_time({}, 2)};
  auto calls = 0;
  stage.note("a", every_callback(), [&](const LoopEvent& event) {
    ++calls;
    CHECK(stage.problem->asked().size() == 10 * event.position.batches);
    CHECK(event.position.examples == 10 * event.position.batches);
    return GateAnswer{};
  });
  stage.run();
  CHECK(calls == 18);
}

TEST_CASE("events say whether training has started and whether it is done", "[P11][P12]") {
  TrainerStage stage{in_no_time({}, 1)};
  const auto events = stage.keep_events("a", every_callback());
  stage.run();
  REQUIRE(events->size() == 10);
  for (const auto& event : *events) {
    INFO(to_string(event.callback) << " " << event.position.batches);
    CHECK(event.started == (event.position.batches > 0));
    CHECK(event.done == (event.callback == Callback::after_training));
  }
  CHECK(events->back().reason == "the data ended");
}

TEST_CASE("events carry the parameters to subscriptions that asked for them", "[P11]") {
  TrainerStage stage{in_no_time({}, 1)};
  const auto with = stage.keep_events("with", trigger("after_batch"), Shows::parameters);
  const auto without = stage.keep_events("without", trigger("after_batch"));
  const auto finished = stage.run();
  REQUIRE(with->size() == 3);
  CHECK(with->back().parameters == finished.parameters);
  CHECK(with->front().parameters.version == 1);
  CHECK_FALSE(with->front().parameters.values == finished.parameters.values);
  CHECK(without->back().parameters.values.empty());
}

TEST_CASE("a schedule that is due passes its count and arguments", "[P1][P4]") {
  TrainerStage stage{in_no_time({}, 1)};
  const auto events = stage.keep_events("a", Conditions{}.when(each(4).examples(), {"argument"}));
  stage.run();
  REQUIRE(events->size() == 3);
  CHECK(events->at(0).times == 2); // 4, 8
  CHECK(events->at(1).times == 3); // 12, 16, 20
  CHECK(events->at(2).times == 2); // 24, 28
  CHECK(events->at(0).arguments == std::vector<std::string>{"argument"});
}

TEST_CASE("slots from a gate come with their step count, even without any slot", "[trainer]") {
  TrainerStage stage{in_no_time({.momentum = 0.5})};
  std::vector<Step> seen;
  std::vector<SavedSlot> first;
  const auto look = [&](const LoopEvent& event) {
    seen.push_back(event.optimizer_steps);
    GateAnswer answer;
    if (event.callback == Callback::before_training)
      first = event.optimizer_slots;
    else if (event.position.batches == 3)
      answer.optimizer_slots = first;
    return answer;
  };
  stage.subscribe(SubscribeGate{"look", trigger("before_training").set_trigger("after_batch", true),
                                recording_gate(stage.world, stage.trace, "", look),
                                Shows::optimizer});
  stage.finish_after(5);
  stage.run();
  CHECK(seen == std::vector<Step>{0, 1, 2, 3, 1, 2});
}
