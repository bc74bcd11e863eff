// What happens to training when an extension's actor ends or does not answer.
#include "tests/support/trainer_stage.hpp"

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

/// A trainer that takes a second per batch, two of which are done.
struct Running : TrainerStage {
  Running() : TrainerStage({.step_duration = 1, .epochs = 2}) {}
  void go() {
    start();
    world.pass(2s + 500ms, 100ms);
  }
  Finished end() {
    world.pass(100s, 500ms);
    return finished();
  }
  Gate listener(const std::string& name) { return recording_gate(world, trace, name); }
};

std::string warnings(const TrainerStage& stage) {
  std::string text;
  for (const auto& line : stage.heard->texts(Level::warning))
    text += line + "\n";
  return text;
}

} // namespace

TEST_CASE("a gate that dies fails training, with its name", "[B15]") {
  Running stage;
  const auto gate = stage.listener("checkpoint");
  stage.subscribe(SubscribeGate{"checkpoint", trigger("after_epoch"), gate});
  stage.note("end", trigger("on_error"));
  stage.go();
  stage.kill(gate);
  const auto finished = stage.end();
  CHECK(finished.outcome == Outcome::failed);
  CHECK_THAT(finished.error,
             Contains("extension 'checkpoint' has ended")
               && Contains("start it again, or give 'checkpoint' on_end: proceed if"));
  CHECK(finished.position.batches == 2);
  CHECK(stage.trace->back() == "end on_error 2");
}

TEST_CASE("a gate that dies may end training in good order", "[B15]") {
  Running stage;
  const auto gate = stage.listener("a");
  stage.subscribe(SubscribeGate{
    .name = "a", .conditions = trigger("after_epoch"), .gate = gate, .on_end = OnLoss::finish});
  stage.note("end", trigger("after_training"));
  stage.go();
  stage.kill(gate);
  const auto finished = stage.end();
  CHECK(finished.outcome == Outcome::finished);
  REQUIRE(finished.causes.size() == 1);
  CHECK_THAT(finished.causes.front(), Contains("'a' has ended"));
  CHECK(finished.position.batches == 3); // the running batch is finished
  CHECK(stage.trace->back() == "end after_training 3");
}

TEST_CASE("training may continue without a gate that died", "[B15]") {
  Running stage;
  const auto gate = stage.listener("a");
  stage.subscribe(SubscribeGate{
    .name = "a", .conditions = trigger("after_batch"), .gate = gate, .on_end = OnLoss::proceed});
  stage.note("b", trigger("after_epoch"));
  stage.go();
  stage.kill(gate);
  const auto finished = stage.end();
  CHECK(finished.outcome == Outcome::finished);
  CHECK(finished.position.batches == 6);
  CHECK(stage.trace->back() == "b after_epoch 6");
  CHECK_THAT(warnings(stage), Contains("'a' has ended") && Contains("continues without it"));
}

TEST_CASE("a gate that dies while training waits for it is lost by its policy", "[B15]") {
  Running stage;
  const auto gate = silent_gate(stage.world);
  const auto policy = GENERATE(OnLoss::fail, OnLoss::finish, OnLoss::proceed);
  stage.subscribe(SubscribeGate{.name = "a",
                                .conditions = trigger("after_n_batches", Value{std::int64_t{2}}),
                                .gate = gate,
                                .deadline = 1000,
                                .on_end = policy});
  stage.note("b", trigger("after_batch"));
  stage.go();
  REQUIRE(stage.status().waiting_for == "a");
  stage.kill(gate);
  CHECK(stage.status().waiting_for.empty());
  const auto finished = stage.end();
  INFO(to_string(policy));
  CHECK((finished.outcome == Outcome::failed) == (policy == OnLoss::fail));
  CHECK(finished.position.batches == (policy == OnLoss::proceed ? 6 : 2));
  CHECK((std::count(stage.trace->begin(), stage.trace->end(), "b after_batch 2") == 1)
        == (policy != OnLoss::fail));
  if (policy == OnLoss::fail)
    CHECK_THAT(finished.error, Contains("'a'") && Contains("after_batch"));
}

TEST_CASE("an observer that dies is lost by its policy", "[B15]") {
  Running stage;
  const auto observer = recording_observer(stage.world, std::make_shared<std::vector<LoopEvent>>());
  const auto policy = GENERATE(OnLoss::fail, OnLoss::finish, OnLoss::proceed);
  stage.subscribe(Subscribe{
    .name = "a", .conditions = trigger("after_batch"), .observer = observer, .on_end = policy});
  stage.go();
  stage.kill(observer);
  const auto finished = stage.end();
  INFO(to_string(policy));
  CHECK((finished.outcome == Outcome::failed) == (policy == OnLoss::fail));
  CHECK((finished.position.batches == 6) == (policy == OnLoss::proceed));
}

TEST_CASE("an extension that dies while training is paused also ends it", "[B15][P15]") {
  Running stage;
  const auto gate = stage.listener("a");
  const auto policy = GENERATE(OnLoss::fail, OnLoss::finish);
  stage.subscribe(SubscribeGate{
    .name = "a", .conditions = trigger("after_epoch"), .gate = gate, .on_end = policy});
  stage.go();
  stage.send(Pause{});
  stage.world.pass(5s, 500ms);
  stage.kill(gate);
  stage.world.pass(5s, 500ms);
  CHECK(stage.finished().outcome == (policy == OnLoss::fail ? Outcome::failed : Outcome::finished));
}

TEST_CASE("an extension that is dead already is lost as soon as it subscribes", "[B15]") {
  Running stage;
  const auto gate = stage.listener("a");
  stage.kill(gate);
  stage.go();
  stage.subscribe(SubscribeGate{"a", trigger("after_epoch"), gate});
  CHECK_THAT(stage.end().error, Contains("'a' has ended"));
}

TEST_CASE("training does not start without a required extension", "[B15]") {
  Running stage;
  const auto gate = stage.listener("a");
  stage.subscribe(SubscribeGate{"a", trigger("after_epoch"), gate});
  stage.kill(gate);
  const auto finished = stage.run();
  CHECK(finished.outcome == Outcome::failed);
  CHECK(finished.position.batches == 0);
  CHECK_THAT(finished.error, Contains("'a' has ended"));
}

TEST_CASE("a gate that misses its deadline is lost by its policy, with its name", "[B15]") {
  Running stage;
  const auto policy = GENERATE(OnLoss::fail, OnLoss::finish, OnLoss::proceed);
  stage.subscribe(SubscribeGate{.name = "slow",
                                .conditions = trigger("after_n_batches", Value{std::int64_t{2}}),
                                .gate = silent_gate(stage.world),
                                .deadline = 2.5,
                                .on_deadline = policy});
  stage.go(); // asked at 2 s
  REQUIRE(stage.status().waiting_for == "slow");
  stage.world.pass(1s + 900ms, 100ms);
  CHECK(stage.status().waiting_for == "slow");
  stage.world.pass(200ms, 100ms);
  CHECK(stage.status().waiting_for.empty());
  const auto finished = stage.end();
  INFO(to_string(policy));
  CHECK((finished.outcome == Outcome::failed) == (policy == OnLoss::fail));
  CHECK(finished.position.batches == (policy == OnLoss::proceed ? 6 : 2));
  const auto sentence = policy == OnLoss::fail ? finished.error : warnings(stage);
  CHECK_THAT(sentence, Contains("'slow'") && Contains("within its deadline of 2.5 s")
                         && Contains("after_batch of batch 2"));
  if (policy == OnLoss::fail)
    CHECK_THAT(sentence, Contains("or give 'slow' on_deadline: proceed if"));
}

TEST_CASE("a gate that misses a deadline of less than a second is lost equally soon", "[B15]") {
  Running stage;
  stage.subscribe(SubscribeGate{.name = "slow",
                                .conditions = trigger("after_n_batches", Value{std::int64_t{2}}),
                                .gate = silent_gate(stage.world),
                                .deadline = 0.3,
                                .on_deadline = OnLoss::proceed});
  stage.start();
  stage.world.pass(2s + 200ms, 100ms); // asked at 2 s
  CHECK(stage.status().waiting_for == "slow");
  stage.world.pass(200ms, 100ms);
  CHECK(stage.status().waiting_for.empty());
  CHECK_THAT(warnings(stage), Contains("within its deadline of 0.3 s"));
}

TEST_CASE("an answer that comes after the deadline is ignored", "[B15]") {
  Running stage;
  using Actor = Gate::extend<caf::reacts_to<Advance>>; // to the answer of that number
  auto asked = std::make_shared<std::size_t>(0);
  const auto gate = stage.world.spawn([asked](Actor::pointer self) -> Actor::behavior_type {
    auto held = std::make_shared<std::vector<caf::typed_response_promise<GateAnswer>>>();
    return {[=](const AskGate&) {
              ++*asked;
              held->push_back(self->make_response_promise<GateAnswer>());
              return held->back();
            },
            [=](const Advance& which) {
              GateAnswer answer;
              answer.finish = true;
              held->at(which.batches).deliver(answer);
            }};
  });
  const auto answer = [&](Step which) {
    stage.world.self->send(gate, Advance{which});
    stage.world.run();
  };
  stage.subscribe(SubscribeGate{.name = "slow",
                                .conditions = trigger("after_batch"),
                                .gate = gate,
                                .deadline = 2,
                                .on_deadline = OnLoss::proceed});
  stage.start();
  stage.world.pass(3s + 500ms, 100ms); // asked at 1 s, given up at 3 s
  REQUIRE(*asked == 1);
  stage.world.pass(1s, 100ms);
  REQUIRE(*asked == 2); // at 4 s again
  answer(0);
  CHECK(stage.status().waiting_for == "slow"); // the late answer is not mistaken for this one
  CHECK_FALSE(stage.ended());
  answer(1);
  CHECK(stage.finished().position.batches == 2);
}

TEST_CASE("a deadline may be as long as a lifetime", "[B15]") {
  Running stage;
  stage.subscribe(
    SubscribeGate{"a", trigger("after_batch"), stage.listener("a"), Shows::nothing, 1e300});
  stage.go();
  CHECK(stage.end().outcome == Outcome::finished);
}
