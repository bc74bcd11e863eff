#include "actors/parameters/parameter_holder.hpp"
#include "actors/quiesce/quiescence.hpp"
#include "tests/support/extension_stage.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/exit_reason.hpp>

using namespace troupe;
using namespace troupe::test;

namespace {

/// A quiescence of the stage's trainer, which takes ten seconds for a batch.
struct SlowTrainerStage {
  Stage stage{{.step_duration = 10}};
  LocalHolder holder = stage.world.keep(spawn_parameter_holder(stage.world.system));
  Quiescence quiescence = stage.world.keep(
    spawn_quiescence(stage.world.system, {{stage.trainer}, holder, stage.logger}));

  Pending<QuiescenceReached> request() {
    REQUIRE(stage.world.ask<QuiescenceRequested>(quiescence, RequestQuiescence{}));
    return {stage.world, quiescence, AwaitQuiescence{}};
  }
  Step batches() { return stage.world.ask<Status>(stage.trainer, GetStatus{})->position.batches; }
};

} // namespace

TEST_CASE("people are told what a quiescence waits for", "[quiescence][B45]") {
  SlowTrainerStage slow;
  slow.stage.start();
  slow.stage.world.pass(1s, 100ms);
  const auto reached = slow.request();
  slow.stage.world.pass(1900ms, 100ms);
  CHECK(slow.stage.heard->texts().empty());
  slow.stage.world.pass(200ms, 100ms);
  CHECK(slow.stage.heard->texts()
        == std::vector<std::string>{
          "a quiescence of all workers has waited 2 s for the batches of workers: 0"});
  CHECK_FALSE(reached.answered());
  slow.stage.world.pass(10s, 100ms);
  CHECK(reached.answered());
}

TEST_CASE("training continues when the last requester has ended the quiescence", "[quiescence]") {
  SlowTrainerStage slow;
  slow.stage.start();
  const auto one = slow.request(), other = slow.request();
  slow.stage.world.pass(30s, 1s);
  REQUIRE((one.answered() && other.answered()));
  slow.stage.world.self->send(slow.quiescence, EndQuiescence{});
  slow.stage.world.pass(30s, 1s);
  CHECK(slow.batches() == 1); // which was running
  slow.stage.world.self->send(slow.quiescence, EndQuiescence{});
  slow.stage.world.pass(30s, 1s);
  CHECK(slow.batches() == 3);
}

TEST_CASE("a quiescence does not wait for a lost trainer", "[quiescence][B45]") {
  SlowTrainerStage slow;
  slow.stage.start();
  const auto reached = slow.request();
  slow.stage.world.self->send_exit(slow.stage.trainer, caf::exit_reason::kill);
  slow.stage.world.run();
  CHECK(reached.answered());
}

TEST_CASE("a trainer that was not started counts as stopped, and stays so when it is started",
          "[quiescence][B45]") {
  SlowTrainerStage slow;
  const auto reached = slow.request();
  slow.stage.world.run();
  CHECK(reached.answered());
  slow.stage.start();
  slow.stage.world.pass(30s, 1s);
  CHECK(slow.batches() == 0);
  slow.stage.world.self->send(slow.quiescence, EndQuiescence{});
  slow.stage.world.pass(25s, 1s);
  CHECK(slow.batches() == 2);
}

TEST_CASE("a quiescence that is over ends with its last handle, and so does its holder",
          "[quiescence][B45]") {
  DeterministicSystem world;
  caf::actor_addr of_quiescence, of_holder;
  {
    const auto slow_answer = std::make_shared<caf::typed_response_promise<Quiesced>>();
    const auto stands = [] {
      Quiesced standing;
      standing.training = true;
      return standing;
    };
    const auto quick = world.system.spawn([=] {
      return caf::behavior{[=](const Quiesce&) { return stands(); }, [](const LeaveQuiescence&) {}};
    });
    const auto slow = world.system.spawn([=](caf::event_based_actor* self) -> caf::behavior {
      return {
        [=](const Quiesce&) {
          *slow_answer = self->make_response_promise<Quiesced>();
          return *slow_answer;
        },
        [=](const Quiesced& standing) {
          slow_answer->deliver(standing);
          *slow_answer = {}; // it knows the trainer
        },
        [](const LeaveQuiescence&) {},
      };
    });
    const auto holder = spawn_parameter_holder(world.system);
    const auto quiescence = spawn_quiescence(
      world.system,
      {{caf::actor_cast<Trainer>(quick), caf::actor_cast<Trainer>(slow)}, holder, {}});
    of_quiescence = quiescence.address();
    of_holder = holder.address();
    REQUIRE(world.ask<QuiescenceRequested>(quiescence, RequestQuiescence{}));
    world.self->send(slow, stands());
    REQUIRE(world.ask<QuiescenceReached>(quiescence, AwaitQuiescence{}));
    world.self->send(quiescence, EndQuiescence{});
    world.run();
  }
  world.pass(3s, 1s); // when people would have been told what it waits for
  for (const auto& address : {of_quiescence, of_holder}) {
    const auto left = caf::actor_cast<caf::actor>(address);
    CHECK_FALSE(left);
    if (left) // otherwise the test would hang
      world.self->send_exit(left, caf::exit_reason::user_shutdown);
  }
}

TEST_CASE("a stop of all before a worker's start ends it there", "[quiescence][B12]") {
  SlowTrainerStage slow;
  const auto level = GENERATE(StopLevel::after_batch, StopLevel::now);
  slow.stage.world.self->send(slow.quiescence, Stop{level, "a user pressed ^C", true});
  slow.stage.world.run();
  slow.stage.start();
  slow.stage.world.pass(30s, 1s);
  const auto finished = slow.stage.finished();
  CHECK(finished.outcome == Outcome::interrupted);
  CHECK(finished.causes == std::vector<std::string>{"a user pressed ^C"});
  CHECK(finished.position.batches == 0);
  slow.stage.start(); // it was for that run
  slow.stage.world.pass(25s, 1s);
  CHECK(slow.batches() == 2);
}
