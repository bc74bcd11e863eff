// Remote control of a running trainer: pause, advance, query, change values, subscribe and
// unsubscribe.
#include "tests/support/trainer_stage.hpp"

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

StageOptions a_second_per_batch(Epoch epochs = 0) { return {.step_duration = 1, .epochs = epochs}; }

} // namespace

TEST_CASE("an extension that subscribes during training is asked before the last ones",
          "[P15][B9]") {
  TrainerStage stage{in_no_time({}, 1)};
  const auto at_batches = trigger("after_batch");
  const auto come = [&](const std::string& name, bool last) {
    SubscribeGate gate{name, at_batches, recording_gate(stage.world, stage.trace, name, {})};
    gate.last = last;
    return gate;
  };
  stage.subscribe(come("save", true));
  stage.subscribe(come("first", false));
  stage.subscribe(
    SubscribeGate{"inviter", at_batches,
                  recording_gate(stage.world, stage.trace, "inviter", [&](const LoopEvent& event) {
                    if (event.position.batches == 1) // in the middle of a callback
                      stage.world.self->send(stage.trainer, come("late", false));
                    return GateAnswer{};
                  })});
  stage.start();
  stage.world.run();
  std::vector<std::string> names;
  for (const auto& line : *stage.trace)
    names.push_back(line.substr(0, line.find(' ')));
  CHECK(std::vector<std::string>(names.begin(), names.begin() + 3)
        == std::vector<std::string>{"first", "inviter", "late"});
  CHECK(names[3] == "save");
  CHECK(std::count(names.begin(), names.end(), "save")
        == std::count(names.begin(), names.end(), "first")); // none is skipped or asked twice
  CHECK(names.back() == "save");
}

TEST_CASE("a paused trainer finishes its batch and then holds", "[P15]") {
  TrainerStage stage{a_second_per_batch()};
  stage.start();
  stage.world.pass(2s + 500ms, 100ms);
  stage.send(Pause{});
  stage.world.pass(100s, 1s);
  CHECK(stage.status().position.batches == 3);
  CHECK(stage.status().phase == "paused");
  stage.send(Resume{});
  stage.world.pass(2s, 100ms);
  CHECK(stage.status().position.batches == 5);
  CHECK(stage.status().phase == "batch");
}

TEST_CASE("the time of a pause does not count as reading or training", "[P15][P10]") {
  TrainerStage stage{a_second_per_batch()};
  stage.start();
  stage.world.pass(1s + 500ms, 100ms);
  stage.send(Pause{});
  stage.world.pass(1s, 100ms);
  stage.world.advance(1h);
  stage.send(Resume{});
  stage.world.pass(2s, 100ms);
  const auto status = stage.status();
  CHECK(status.position.batches == 4);
  CHECK(status.totals.reading_seconds == Approx(0).margin(1e-6));
  CHECK(status.position.training_seconds == Approx(status.position.batches));
  CHECK(status.position.seconds > 3600);
}

TEST_CASE("a paused trainer advances by the requested number of batches", "[P15][P16]") {
  TrainerStage stage;
  stage.send(Pause{}); // before it starts: it holds at the first batch
  stage.start();
  stage.world.run();
  CHECK(stage.status().position.batches == 0);
  stage.send(Advance{2});
  CHECK(stage.status().position.batches == 2);
  stage.send(Advance{1});
  stage.send(Advance{2});
  CHECK(stage.status().position.batches == 5);
  CHECK(stage.status().phase == "paused");
}

TEST_CASE("a pause cancels the rest of an advance", "[P15]") {
  TrainerStage stage{a_second_per_batch()};
  stage.send(Pause{});
  stage.start();
  stage.send(Advance{100});
  stage.world.pass(2s + 500ms, 100ms);
  stage.send(Pause{});
  stage.world.pass(10s, 500ms);
  CHECK(stage.status().position.batches == 3);
}

TEST_CASE("two trainers alternate, batch by batch", "[P16]") {
  TrainerStage one;
  auto trace = one.trace;
  const auto two = one.new_trainer();
  one.note("one", trigger("after_batch"));
  REQUIRE(one.world.ask<Subscribed>(
    two, SubscribeGate{"two", trigger("after_batch"), recording_gate(one.world, trace, "two")}));
  one.world.self->send(two, Pause{});
  one.send(Pause{});
  Pending<Finished> finished{one.world, two, Start{}};
  one.start();
  for (auto i = 0; i < 3; ++i) {
    one.send(Advance{1});
    one.world.self->send(two, Advance{1});
    one.world.run();
  }
  CHECK(std::vector<std::string>(trace->end() - 6, trace->end())
        == std::vector<std::string>{"one after_batch 1", "two after_batch 1", "one after_batch 2",
                                    "two after_batch 2", "one after_batch 3", "two after_batch 3"});
}

TEST_CASE("a paused trainer can be stopped", "[P15]") {
  TrainerStage stage;
  stage.send(Pause{});
  stage.start();
  stage.send(Advance{2});
  stage.send(Stop{StopLevel::after_batch, "enough", false});
  CHECK(stage.finished().causes == std::vector<std::string>{"enough"});
}

TEST_CASE("a running trainer reports its position", "[P15]") {
  TrainerStage stage{a_second_per_batch()};
  CHECK(stage.status().phase == "idle");
  stage.keep_events("observer", trigger("after_batch"));
  stage.start();
  stage.world.pass(4s + 500ms, 100ms);
  const auto status = stage.status();
  CHECK(status.phase == "batch");
  CHECK(status.position.batches == 4);
  CHECK(status.position.epochs == 1);
  CHECK(status.totals.examples == 40);
  CHECK(status.expected_length.batches_per_epoch == 3);
  CHECK(status.expected_length.examples_per_epoch == 30);
  CHECK(status.learning_rate == Approx(1e-4));
  CHECK(status.loss > 0);
  REQUIRE(status.subscriptions.size() == 1);
  CHECK(status.subscriptions.front().name == "observer");
  CHECK(status.subscriptions.front().sent == 4);
}

TEST_CASE("the learning rate can be changed during training", "[P15][B38]") {
  TrainerStage stage{a_second_per_batch()};
  const auto events = stage.keep_events("a", trigger("after_batch"));
  stage.start();
  stage.world.pass(1s + 500ms, 100ms);
  REQUIRE(stage.world.ask<SetDone>(stage.trainer, Set{{{"learning_rate", 0.5e-4}}}));
  CHECK(stage.status().learning_rate == Approx(0.5e-4));
  stage.world.pass(1s, 100ms);
  CHECK(events->back().learning_rate == Approx(0.5e-4));
}

TEST_CASE("an invalid setting is refused, and nothing of its message is set", "[P15]") {
  TrainerStage stage;
  const auto before = stage.status().learning_rate;
  CHECK_THAT(stage.refusal<SetDone>(Set{{{"learning_rate", 0.5}, {"momentum", 0.9}}}),
             Contains("'momentum'") && Contains("learning_rate"));
  CHECK_THAT(stage.refusal<SetDone>(Set{{{"learning_rate", std::nan("")}}}),
             Contains("learning_rate"));
  CHECK_THAT(stage.refusal<SetDone>(Set{{{"learning_rate", -1}}}), Contains("learning_rate"));
  CHECK(stage.status().learning_rate == before);
}

TEST_CASE("a gate's answer replaces parameters and settings before the next step", "[P11][B38]") {
  TrainerStage stage;
  stage.note("a", trigger("before_training"), [](const LoopEvent&) {
    GateAnswer answer;
    answer.parameters = Block::copy_of(std::vector<float>{2}); // the exact solution of the data:
                                                               // loss 0
    answer.settings["learning_rate"] = 0.25e-4;
    return answer;
  });
  const auto events = stage.keep_events("b", trigger("after_batch"), Shows::parameters);
  stage.finish_after(1);
  stage.run();
  CHECK(events->front().loss == 0);
  CHECK(events->front().learning_rate == Approx(0.25e-4));
  CHECK(events->front().parameters.values.view()[0] == 2);
}

TEST_CASE("a registered timeline advances as a gate says, and schedules follow it", "[P14]") {
  TrainerStage stage{in_no_time({}, 2)};
  REQUIRE(stage.world.ask<SetDone>(stage.trainer, RegisterTimeline{"tokens"}));
  stage.note("clock", trigger("before_batch"), [](const LoopEvent& event) {
    GateAnswer answer;
    answer.timelines["tokens"] = 40.0 * static_cast<double>(event.position.batches + 1);
    return answer;
  });
  const auto events = stage.keep_events("a", Conditions{}.when(each(100).on("tokens")));
  stage.run();
  REQUIRE(events->size() == 2);
  CHECK(events->at(0).position.batches == 3); // 120 of 100
  CHECK(events->at(1).position.batches == 5); // 200 of 200
  CHECK(events->at(1).position.timelines.at("tokens") == 200);
}

TEST_CASE("an unknown timeline, or a name that is taken, is refused", "[P14]") {
  TrainerStage stage;
  REQUIRE(stage.world.ask<SetDone>(stage.trainer, RegisterTimeline{"tokens"}));
  const auto observer = recording_observer(stage.world, std::make_shared<std::vector<LoopEvent>>());
  CHECK_THAT(
    stage.refusal<Subscribed>(Subscribe{"a", Conditions{}.when(each(100).on("token")), observer}),
    Contains("'token'") && Contains("'tokens'"));
  CHECK_THAT(stage.refusal<SetDone>(RegisterTimeline{"epochs"}), Contains("'epochs'"));
  for (const auto* name : {"", "a b", "1a", "always", "each"})
    CHECK_THAT(stage.refusal<SetDone>(RegisterTimeline{name}),
               Contains("'" + std::string{name} + "' cannot name a timeline"));
  // cure: ' cannot name a timeline; use letters, digits and _
  REQUIRE(stage.world.ask<SetDone>(stage.trainer, RegisterTimeline{"tokens_2"}));
}

TEST_CASE("extensions subscribe and unsubscribe during training", "[P15]") {
  TrainerStage stage{a_second_per_batch(3)};
  stage.start();
  stage.world.pass(1s + 500ms, 100ms);
  const auto id = stage.note("a", trigger("after_batch"));
  stage.world.pass(2s, 100ms);
  REQUIRE(stage.world.ask<Unsubscribed>(stage.trainer, Unsubscribe{id}));
  stage.world.pass(60s, 500ms);
  CHECK(*stage.trace == std::vector<std::string>{"a after_batch 2", "a after_batch 3"});
  CHECK(stage.finished().position.batches == 9);
  REQUIRE(stage.finished().subscriptions.size() == 1);
  CHECK(stage.finished().subscriptions.front() == SubscriptionReport{"a", 2, 0, 0});
}

TEST_CASE("an extension that subscribes repeatedly has one report", "[P15]") {
  TrainerStage stage{a_second_per_batch(3)};
  stage.start();
  stage.world.pass(500ms, 100ms);
  for (int times = 0; times < 3; ++times) {
    const auto id = stage.note("a", trigger("after_batch"));
    stage.world.pass(2s, 100ms);
    REQUIRE(stage.world.ask<Unsubscribed>(stage.trainer, Unsubscribe{id}));
  }
  stage.world.pass(60s, 500ms);
  REQUIRE(stage.finished().subscriptions.size() == 1);
  CHECK(stage.finished().subscriptions.front() == SubscriptionReport{"a", 6, 0, 0});
}

TEST_CASE("training continues when the gate it waits for is unsubscribed", "[P15]") {
  TrainerStage stage{in_no_time({}, 1)};
  const auto id = stage.subscribe(
    SubscribeGate{"silent", trigger("after_n_batches", batches(2)), silent_gate(stage.world)});
  stage.note("next", trigger("after_batch"));
  stage.start();
  stage.world.run();
  REQUIRE(stage.status().waiting_for == "silent");
  CHECK(stage.trace->size() == 1);
  REQUIRE(stage.world.ask<Unsubscribed>(stage.trainer, Unsubscribe{id}));
  CHECK(stage.finished().outcome == Outcome::finished);
  CHECK(stage.trace->size() == 3);
}

TEST_CASE("a subscription needs a unique name, an actor and a deadline", "[B29]") {
  TrainerStage stage;
  const auto id = stage.note("a", trigger("after_batch"));
  const auto gate = recording_gate(stage.world, stage.trace);
  CHECK_THAT(stage.refusal<Subscribed>(SubscribeGate{"a", trigger("after_batch"), gate}),
             Contains("'a' is subscribed already"));
  // cure: ' is subscribed already; give this one another name
  REQUIRE(stage.subscribe(SubscribeGate{"another", trigger("after_batch"), gate}) != id);
  CHECK_THAT(stage.refusal<Subscribed>(SubscribeGate{"b", trigger("after_batch"), {}}),
             Contains("no gate"));
  CHECK_THAT(stage.refusal<Subscribed>(Subscribe{"b", trigger("after_batch"), {}}),
             Contains("no observer"));
  CHECK_THAT(
    stage.refusal<Subscribed>(SubscribeGate{"b", trigger("after_batch"), gate, Shows::nothing, 0}),
    Contains("must be positive"));
  REQUIRE(stage.world.ask<Unsubscribed>(stage.trainer, Unsubscribe{id}));
  CHECK(stage.subscribe(SubscribeGate{"a", trigger("after_batch"), gate}) != id);
  CHECK_THAT(stage.refusal<Unsubscribed>(Unsubscribe{id}), Contains("no subscription"));
}

TEST_CASE("an extension that was unsubscribed is released", "[P15]") {
  TrainerStage stage{in_no_time({}, 1)};
  std::weak_ptr<int> alive;
  const auto subscribe = [&] { // after this, only the trainer holds the gate
    const auto life = std::make_shared<int>();
    alive = life;
    return stage.subscribe(
      SubscribeGate{"a", trigger("after_batch"),
                    stage.world.system.spawn([life](Gate::pointer) -> Gate::behavior_type {
                      return {[life](const AskGate&) { return GateAnswer{}; }};
                    })});
  };
  const auto id = subscribe();
  stage.run();
  CHECK_FALSE(alive.expired());
  REQUIRE(stage.world.ask<Unsubscribed>(stage.trainer, Unsubscribe{id}));
  stage.world.run();
  CHECK(alive.expired());
}

TEST_CASE("a trainer is quiesced between two batches until it is resumed", "[B45]") {
  TrainerStage stage{a_second_per_batch()};
  stage.start();
  stage.world.pass(2s + 500ms, 100ms);
  Pending<Quiesced> standing{stage.world, stage.trainer, Quiesce{2}}; // after the third batch
  stage.world.pass(2s, 100ms);
  CHECK_FALSE(standing.answered());
  stage.world.pass(100s, 1s);
  REQUIRE(standing.answered());
  CHECK(standing->position.batches == 5);
  CHECK(standing->training);
  CHECK(stage.status().position.batches == 5);
  stage.send(LeaveQuiescence{});
  stage.world.pass(2s, 100ms);
  CHECK(stage.status().position.batches == 7);
}

TEST_CASE("a trainer that has ended counts as quiesced", "[B45]") {
  TrainerStage stage;
  stage.finish_after(3);
  stage.run();
  const auto standing = stage.world.ask<Quiesced>(stage.trainer, Quiesce{});
  REQUIRE(standing);
  CHECK_FALSE(standing->training);
}

TEST_CASE("a trainer that is stopped while quiesced begins no further batch", "[B45]") {
  TrainerStage stage{a_second_per_batch()};
  stage.note("a", Conditions{}.set_trigger("before_batch", true).set_trigger("on_interrupt", true));
  stage.start();
  stage.world.pass(1s + 500ms, 100ms);
  Pending<Quiesced> standing{stage.world, stage.trainer, Quiesce{}};
  stage.world.pass(2s, 100ms);
  stage.send(Stop{StopLevel::after_batch, "enough", true});
  stage.send(LeaveQuiescence{});
  CHECK(stage.ended());
  CHECK(*stage.trace
        == std::vector<std::string>{"a before_batch 0", "a before_batch 1", "a on_interrupt 2"});
}

TEST_CASE("a stop after the epoch can name the epoch", "[B45]") {
  TrainerStage stage;
  stage.send(Pause{});
  stage.start();
  stage.send(Stop{StopLevel::after_epoch, "enough", true, 3});
  stage.world.run();
  REQUIRE(stage.ended());
  CHECK(stage.finished().position.epochs == 3);
}
