#include "actors/timing/timer.hpp"
#include "extensions/monitoring/training_monitoring.hpp"
#include "extensions/stopping/stop_after_time_elapsed.hpp"
#include "tests/support/extension_stage.hpp"

#include <caf/typed_event_based_actor.hpp>

using namespace troupe;
using namespace troupe::test;

namespace {

using Seconds = std::chrono::duration<double>;

Timer real_timer(Stage& stage) { return stage.world.keep(spawn_timer(stage.world.system)); }

/// A timer whose alarms never fire.
Timer broken_timer(Stage& stage) {
  const auto behave = [](Timer::pointer) -> Timer::behavior_type {
    return {
      [](const SetAlarm&) { return AlarmSet{1}; },
      [](const CancelAlarm&) {},
      [](const GetUsedTime&) { return UsedTime{}; },
    };
  };
  return stage.world.keep(stage.world.system.spawn(behave));
}

void limit(Stage& stage, double seconds, const std::string& start, const Timer& timer,
           const Conditions& conditions = stop_after_time_elapsed_conditions()) {
  const auto extension = stage.world.keep(spawn_stop_after_time_elapsed(
    stage.world.system, {Seconds{seconds}, start}, stage.trainer, timer));
  stage.gate("time limit", conditions, extension);
}

void limit(Stage& stage, double seconds, const std::string& start = "training") {
  limit(stage, seconds, start, real_timer(stage));
}

const std::vector<std::string> reached{"the time limit of 5s is reached"};

/// The stop requests to all workers by a trainer with the main worker's time limit.
std::shared_ptr<std::vector<std::string>> limit_all(Stage& stage, double seconds) {
  auto asked = std::make_shared<std::vector<std::string>>();
  const auto behave = [=](RunStopper::pointer) -> RunStopper::behavior_type {
    return {[=](const StopAll& stop) { asked->push_back(stop.reason); }};
  };
  stage.world.self->send(stage.trainer,
                         EndTogether{stage.world.keep(stage.world.system.spawn(behave))});
  const auto extension = stage.world.keep(spawn_stop_after_time_elapsed(
    stage.world.system, {Seconds{seconds}, "training"}, stage.trainer, Timer{}));
  SubscribeGate gate{"time limit", with_every_batch(stop_after_time_elapsed_conditions()),
                     caf::actor_cast<Gate>(extension)};
  gate.main_only = true;
  REQUIRE(stage.world.ask<Subscribed>(stage.trainer, gate));
  return asked;
}

} // namespace

TEST_CASE("training stops when its time limit is reached, and not earlier",
          "[stop_after_time_elapsed][L19]") {
  Stage stage;
  limit(stage, 5);
  stage.start();
  stage.world.pass(4999ms, 100ms);
  CHECK_FALSE(stage.ended());
  stage.world.pass(1001ms,
                   1ms); // the alarm arrives between two batches: the next one may have begun
  const auto finished = stage.finished();
  CHECK(finished.outcome == Outcome::finished);
  CHECK(finished.causes == reached);
  CHECK(finished.position.seconds >= Approx(5));
}

TEST_CASE("at the time limit after_training runs as usual", "[stop_after_time_elapsed][L19]") {
  Stage stage;
  limit(stage, 5);
  auto trace = new_trace();
  stage.gate("trace", every_callback(), recording_gate(stage.world, trace));
  stage.run();
  CHECK_THAT(trace->back(), Catch::StartsWith("after_training"));
}

TEST_CASE("the main worker's time limit ends the run of all workers",
          "[stop_after_time_elapsed][T17]") {
  Stage stage;
  const auto asked = limit_all(stage, 5);
  stage.start();
  stage.world.pass(20s, 100ms);
  CHECK(*asked == reached);
  CHECK_FALSE(stage.ended()); // it waits until all are stopped
  CHECK(stage.world.ask<Status>(stage.trainer, GetStatus{})->position.batches == 5);
}

TEST_CASE("the time limit of the run also holds for a worker that becomes main later",
          "[stop_after_time_elapsed][T17]") {
  Stage stage{{.worker = 1}};
  const auto asked = limit_all(stage, 5);
  stage.start();
  stage.world.pass(7s, 100ms);
  CHECK(asked->empty()); // another worker is main
  stage.world.self->send(stage.trainer, BeMain{true});
  stage.world.pass(2s, 100ms);
  CHECK(*asked == reached);
}

TEST_CASE("the step in which the limit is reached is completed",
          "[stop_after_time_elapsed][L19][T17]") {
  Stage stage{{.step_duration = 10}};
  limit(stage, 15);
  const auto finished = stage.run(1s);
  CHECK(finished.position.batches == 2);
  CHECK(finished.position.seconds == Approx(20));
}

TEST_CASE("with a limit of 0 training stops after the first batch at the latest",
          "[stop_after_time_elapsed][L19]") {
  Stage stage;
  limit(stage, 0);
  const auto finished = stage.run();
  CHECK(finished.outcome == Outcome::finished);
  CHECK(finished.position.batches <= 1);
}

TEST_CASE("with a limit of 0 the first check of the clock stops training",
          "[stop_after_time_elapsed][L19]") {
  Stage stage;
  limit(stage, 0, "training", broken_timer(stage),
        stop_after_time_elapsed_conditions().set_trigger("before_first_epoch", true));
  CHECK(stage.run().position.batches == 0);
}

TEST_CASE("further triggers check the clock", "[stop_after_time_elapsed][L19]") {
  Stage stage;
  limit(stage, 5, "training", broken_timer(stage),
        stop_after_time_elapsed_conditions().set_trigger("after_epoch", true));
  const auto finished = stage.run();
  CHECK(finished.position.batches == 6); // after 3 s it is too early
  CHECK(finished.causes == reached);
}

TEST_CASE("a time equal to the limit reaches it", "[stop_after_time_elapsed][L19]") {
  Stage stage;
  limit(stage, 5, "training", broken_timer(stage),
        stop_after_time_elapsed_conditions().set_trigger("after_batch", true));
  CHECK(stage.run().position.batches == 5);
}

TEST_CASE("a trigger and the timer at the same time are one cause",
          "[stop_after_time_elapsed][L19]") {
  Stage stage;
  limit(stage, 5, "training", real_timer(stage),
        stop_after_time_elapsed_conditions().set_trigger("after_batch", true));
  CHECK(stage.run().causes == reached);
}

TEST_CASE("a clock that starts with training does not count a slow construction",
          "[stop_after_time_elapsed][L20]") {
  Stage stage;
  limit(stage, 5);
  stage.world.advance(20s);
  CHECK(stage.run().position.seconds == Approx(5).margin(1));
}

TEST_CASE("a clock that starts with construction counts a slow one",
          "[stop_after_time_elapsed][L20]") {
  Stage stage;
  limit(stage, 23, "construction");
  stage.world.advance(20s);
  CHECK(stage.run().position.seconds == Approx(3).margin(1));
}

TEST_CASE("time used before a restart counts, the pause does not",
          "[stop_after_time_elapsed][L20]") {
  Stage stage;
  limit(stage, 10);
  stage.finish_after(6);
  stage.run();
  const auto saved = stage.world.ask<SavedTrainer>(stage.trainer, Save{});
  REQUIRE(saved);
  stage.world.advance(100s);
  stage.trainer = stage.new_trainer();
  REQUIRE(stage.world.ask<Restored>(stage.trainer, Restore{*saved}));
  limit(stage, 10);
  const auto finished = stage.run();
  CHECK(finished.causes == std::vector<std::string>{"the time limit of 10s is reached"});
  CHECK(finished.position.seconds == Approx(10).margin(1));
}

TEST_CASE("the alarm of an earlier run does not stop the next one",
          "[stop_after_time_elapsed][L20]") {
  Stage stage;
  limit(stage, 10);
  stage.finish_after(3);
  stage.run();
  stage.world.advance(4s);
  const auto finished = stage.run();
  CHECK(finished.position.seconds == Approx(10).margin(1));
}

TEST_CASE("a run resumed after its limit was reached ends again",
          "[stop_after_time_elapsed][L20]") {
  Stage stage;
  limit(stage, 5);
  const auto first = stage.run();
  const auto again = stage.run();
  CHECK(again.causes == reached);
  CHECK(again.position.batches <= first.position.batches + 1);
}

TEST_CASE("a run that has ended for another reason does not end for its time",
          "[stop_after_time_elapsed]") {
  Stage stage;
  limit(stage, 5, "training", broken_timer(stage),
        stop_after_time_elapsed_conditions().set_trigger("after_training", true));
  stage.finish_after(6);
  CHECK(stage.run().causes == std::vector<std::string>{"it is enough"});
}

TEST_CASE("an infinite limit never stops training", "[stop_after_time_elapsed][L19]") {
  Stage stage;
  limit(stage, std::numeric_limits<double>::infinity());
  stage.finish_after(4);
  CHECK(stage.run().causes == std::vector<std::string>{"it is enough"});
}

TEST_CASE("without its timer training ends with a message", "[stop_after_time_elapsed][L19]") {
  Stage stage;
  const auto timer = real_timer(stage);
  stage.world.self->send_exit(timer, caf::exit_reason::kill);
  stage.world.run();
  limit(stage, 5, "training", timer);
  const auto finished = stage.run();
  REQUIRE(finished.causes.size() == 1);
  CHECK_THAT(finished.causes[0], Catch::StartsWith("the time limit cannot be observed"));
}

TEST_CASE("an invalid time is refused with the valid forms", "[stop_after_time_elapsed][L19]") {
  Stage stage;
  CHECK_THROWS_WITH(limit(stage, -1), Catch::Contains("0 or more"));
  // cure: s; give a time of 0 or more, like 90s, 15m or 12:00:00
  CHECK_NOTHROW(limit(stage, 0));
  CHECK_THROWS_WITH(limit(stage, 5, "breakfast"), Catch::Contains("training, construction"));
}

TEST_CASE("a limit attached during training holds, too", "[stop_after_time_elapsed][L19][P15]") {
  const auto rings = GENERATE(true, false);
  const std::string start = GENERATE("training", "construction");
  Stage stage;
  stage.start();
  stage.world.pass(3s, 100ms);
  limit(stage, 5, start, rings ? real_timer(stage) : Timer{},
        with_every_batch(stop_after_time_elapsed_conditions()));
  const auto end = start == "training" ? 5s : 8s;
  stage.world.pass(end - 3s - 100ms, 100ms);
  CHECK_FALSE(stage.ended());
  stage.world.pass(1200ms, 100ms);
  REQUIRE(stage.ended());
  CHECK(stage.finished().causes == reached);
}

TEST_CASE("a limit attached during training sets its alarm at its first event",
          "[stop_after_time_elapsed][L19]") {
  Stage stage;
  stage.start();
  stage.world.pass(1500ms, 100ms);
  limit(stage, 4.5, "training", real_timer(stage),
        stop_after_time_elapsed_conditions().set_trigger("after_epoch", true)); // after 3 s and 6 s
  stage.world.pass(5s, 100ms);
  CHECK(stage.finished().position.batches == 5);
}

TEST_CASE("time used before a checkpoint counts after it", "[stop_after_time_elapsed][L20][B45]") {
  const std::string start = GENERATE("training", "construction");
  const auto limited = [&start](Stage& stage) {
    const auto extension = stage.world.keep(spawn_stop_after_time_elapsed(
      stage.world.system, {Seconds{5}, start}, stage.trainer, real_timer(stage)));
    stage.gate("time limit", stop_after_time_elapsed_conditions(), extension);
    return extension;
  };
  Stage first;
  const auto before = limited(first);
  first.start();
  first.world.pass(3s + 10ms, 10ms);
  const auto trainer = first.world.ask<SavedTrainer>(first.trainer, Save{});
  const auto used = first.world.ask<SavedExtension>(before, SaveExtension{});
  REQUIRE(trainer);
  REQUIRE(used);

  Stage second;
  const auto after = limited(second);
  REQUIRE(second.world.ask<Restored>(second.trainer, Restore{*trainer}));
  REQUIRE(second.world.ask<Restored>(after, RestoreExtension{used->state}));
  second.start();
  second.world.pass(1s + 900ms, 10ms);
  CHECK_FALSE(second.ended());
  second.world.pass(1s + 200ms, 10ms);
  INFO("counted from " << start);
  REQUIRE(second.ended());
  CHECK(second.finished().causes == reached);
}
