// A loader reads batches ahead; training with it gives the same bits as without.
#include "tests/support/trainer_stage.hpp"

#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <deque>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

constexpr Step loaded_batches = 23;

StageOptions with_loader(Step ahead, double step_duration = 0) {
  return {.toy = {.examples = 95, .shuffle = true, .momentum = 0.9},
          .step_duration = step_duration,
          .ahead = ahead};
}

void check_same_end(const Finished& a, const Finished& b) {
  CHECK(a.parameters == b.parameters);
  CHECK(a.totals.loss == b.totals.loss);
  CHECK(a.position.batches == b.position.batches);
  CHECK(a.position.epochs == b.position.epochs);
}

Finished without_loader(Step batches = loaded_batches) {
  TrainerStage stage{with_loader(0)};
  stage.finish_after(batches);
  return stage.run();
}

SavedTrainer state_of(TrainerStage& stage) {
  auto saved = stage.world.ask<SavedTrainer>(stage.trainer, Save{});
  REQUIRE(saved);
  return *saved;
}

/// A loader that answers when the test says so.
struct HeldLoader {
  struct Held {
    caf::typed_response_promise<BatchPrepared> promise;
    ReadBatch batch;
  };
  using Actor = Loader::extend<caf::reacts_to<caf::tick_atom>>;
  std::shared_ptr<std::deque<Held>> held = std::make_shared<std::deque<Held>>();
  std::shared_ptr<Actor> actor = std::make_shared<Actor>();

  Loader operator()(DeterministicSystem& world, const BatchReader& from) const {
    const auto reader = std::make_shared<BatchReader>(from);
    const auto behave = [held = held, reader](Actor::pointer self) -> Actor::behavior_type {
      return {[=](PrepareBatch& request) {
                auto promise = self->make_response_promise<BatchPrepared>();
                held->push_back({promise, std::move(request.batch)});
                return promise;
              },
              [=](caf::tick_atom) { // promises are kept by the actor that made them
                auto first = std::move(held->front());
                held->pop_front();
                reader->try_to_read(first.batch.cursor, first.batch);
                first.promise.deliver(BatchPrepared{std::move(first.batch)});
              }};
    };
    *actor = world.system.spawn(behave);
    return *actor;
  }

  /// Takes effect when the world runs.
  void answer() const { caf::anon_send(*actor, caf::tick_atom_v); }
};

} // namespace

TEST_CASE("training with a loader ends with the bits of training without", "[loader][M10]") {
  const Step ahead = GENERATE(1, 2, 7, 100);
  TrainerStage stage{with_loader(ahead)};
  stage.finish_after(loaded_batches);
  check_same_end(stage.run(), without_loader());
}

TEST_CASE("batches that a loader has prepared do not count in a checkpoint", "[loader][B45]") {
  const Step at = GENERATE(1, 9, 10, 20);
  TrainerStage first{with_loader(4)};
  first.finish_after(at);
  first.run();
  const auto saved = state_of(first);
  CHECK(saved.cursor == at);
  CHECK(first.problem->asked().size() > saved.position.examples); // it had read ahead
  TrainerStage second{with_loader(GENERATE(0, 3))};
  REQUIRE(second.world.ask<Restored>(second.trainer, Restore{saved}));
  second.finish_after(loaded_batches);
  check_same_end(second.run(), without_loader());
}

TEST_CASE("a trainer with a loader continues from where it was restored", "[loader][B45]") {
  TrainerStage stage{with_loader(3)};
  stage.finish_after(5);
  stage.run();
  const auto saved = state_of(stage);
  stage.finish_after(11);
  stage.run();
  REQUIRE(stage.world.ask<Restored>(stage.trainer, Restore{saved}));
  check_same_end(stage.run(), without_loader(11));
}

TEST_CASE("pauses and steps beside a loader do not change a bit", "[loader][P15]") {
  TrainerStage stage{with_loader(2, 1)};
  stage.finish_after(loaded_batches);
  stage.start();
  stage.world.pass(3s + 500ms, 100ms);
  stage.send(Pause{});
  stage.world.pass(5s, 100ms);
  CHECK(stage.status().position.batches == 4);
  stage.send(Advance{2});
  stage.world.pass(5s, 100ms);
  CHECK(stage.status().position.batches == 6);
  stage.send(Resume{});
  stage.world.pass(30s, 100ms);
  REQUIRE(stage.ended());
  check_same_end(stage.finished(), without_loader());
}

TEST_CASE("a trainer waits for a slow loader, handles messages, and reports that", "[loader]") {
  HeldLoader loader;
  auto options = with_loader(2);
  options.make_loader = loader;
  TrainerStage stage{options};
  stage.finish_after(3);
  stage.start();
  stage.world.run();
  CHECK(loader.held->size() == 2); // its credit
  CHECK(stage.status().position.batches == 0);
  stage.world.pass(4s, 500ms);
  const auto texts = stage.heard->texts();
  CHECK(std::count_if(texts.begin(), texts.end(),
                      [](const auto& text) {
                        return text.find("waited 2 s for its loader to prepare batch 1")
                               != std::string::npos;
                      })
        == 1);
  for (int batch = 1; batch <= 3; ++batch) {
    loader.answer();
    stage.world.run();
    CHECK(stage.status().position.batches == static_cast<Step>(batch));
  }
  CHECK(stage.ended());
}

TEST_CASE("a stop now does not wait for the loader", "[loader]") {
  HeldLoader loader;
  auto options = with_loader(2);
  options.make_loader = loader;
  TrainerStage stage{options};
  stage.start();
  stage.world.run();
  stage.send(Stop{StopLevel::now, "enough", true});
  REQUIRE(stage.ended());
  loader.answer(); // too late, and harmless
  stage.world.run();
  CHECK(stage.status().position.batches == 0);
}

TEST_CASE("a row that cannot be read fails the run when it is trained on", "[loader]") {
  const Step ahead = GENERATE(0, 5);
  StageOptions options{.toy = {.examples = 60}, .step_duration = 0, .ahead = ahead};
  TrainerStage stage{options};
  stage.problem->poison(35);
  const auto finished = stage.run();
  CHECK(finished.outcome == Outcome::failed);
  CHECK(finished.error == "worker 0: row 35 cannot be read");
  CHECK(finished.position.batches == 3);
}

TEST_CASE("a loader that has ended fails the run with a sentence", "[loader]") {
  HeldLoader loader;
  auto options = with_loader(2);
  options.make_loader = loader;
  TrainerStage stage{options};
  stage.kill(*loader.actor);
  stage.start();
  stage.world.run();
  REQUIRE(stage.ended());
  CHECK_THAT(stage.finished().error, Contains("the loader of its batches has ended")
                                       && Contains("set training.loader.ahead to 0"));
  // cure: ); start the run again, or set training.loader.ahead to 0 to do without it
  for (const Step ahead : {2, 0}) {
    TrainerStage again{with_loader(ahead)};
    again.finish_after(4);
    CHECK(again.run().outcome == Outcome::finished);
  }
}

TEST_CASE("a loader without any batches ahead is refused", "[loader]") {
  Stage stage;
  const auto learner = toy_learner(stage.problem);
  TrainerOptions options;
  options.loader = stage.world.keep(spawn_scheduled_loader(stage.world.system, learner->reader()));
  CHECK_THROWS_WITH(spawn_trainer(stage.world.system, learner, {}, options),
                    Contains("worker 0") && Contains("set ahead to 1 or more"));
  // cure: that none would ever arrive; set ahead to 1 or more, or give it no loader
  options.ahead = 1;
  CHECK_NOTHROW(stage.world.keep(spawn_trainer(stage.world.system, learner, {}, options)));
  CHECK_NOTHROW(stage.world.keep(spawn_trainer(stage.world.system, learner, {}, {})));
}
