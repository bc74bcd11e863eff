#include "tests/support/trainer_stage.hpp"

using namespace troupe;
using namespace troupe::test;

namespace {

constexpr Step all_batches = 23;

StageOptions with_momentum(double step_duration = 0) {
  return {.toy = {.examples = 95, .shuffle = true, .momentum = 0.9},
          .step_duration = step_duration};
}

Finished undisturbed() {
  TrainerStage stage{with_momentum()};
  stage.finish_after(all_batches);
  return stage.run();
}

SavedTrainer saved_by(TrainerStage& stage) {
  auto saved = stage.world.ask<SavedTrainer>(stage.trainer, Save{});
  REQUIRE(saved);
  return *saved;
}

void check_equal(const Finished& a, const Finished& b) {
  CHECK(a.parameters == b.parameters);
  CHECK(a.totals.loss == b.totals.loss);
  CHECK(a.position.batches == b.position.batches);
  CHECK(a.position.examples == b.position.examples);
  CHECK(a.position.epochs == b.position.epochs);
}

} // namespace

TEST_CASE("training that was saved and restored ends with the same bits", "[B45][T14]") {
  const Step at = GENERATE(1, 7, 10, 13, 20);
  TrainerStage first{with_momentum()};
  first.finish_after(at);
  first.run();
  TrainerStage second{with_momentum()};
  REQUIRE(second.world.ask<Restored>(second.trainer, Restore{saved_by(first)}));
  second.finish_after(all_batches);
  INFO("saved at " << at);
  check_equal(second.run(), undisturbed());
}

TEST_CASE("the sums of a trainer that goes on are as exact as before", "[B45]") {
  TrainerStage first{with_momentum()};
  first.finish_after(7);
  first.run();
  const auto saved = saved_by(first);
  TrainerStage second{with_momentum()};
  REQUIRE(second.world.ask<Restored>(second.trainer, Restore{saved}));
  CHECK(saved_by(second).totals == saved.totals);
  CHECK(saved.totals.loss.parts.size() > 0);
  CHECK(saved.totals.loss.beyond == 0);
}

TEST_CASE("a resumed trainer knows where epochs have ended, including closed ones", "[B4][B45]") {
  const auto close_at = [](TrainerStage& stage, Step batch) {
    stage.note("plugin", trigger("after_batch"), [batch](const LoopEvent& event) {
      GateAnswer answer;
      answer.close_epoch = event.position.batches == batch;
      return answer;
    });
  };
  TrainerStage first{with_momentum()};
  close_at(first, 15);
  first.finish_after(20);
  first.run();
  CHECK(text_in(first.run_status(), "epoch_ends") == "10 15");
  auto saved = saved_by(first);
  SECTION("a state contains where they ended") {
    TrainerStage second{with_momentum()};
    REQUIRE(second.world.ask<Restored>(second.trainer, Restore{saved}));
    close_at(second, 32);
    second.finish_after(34);
    second.run();
    CHECK(text_in(second.run_status(), "epoch_ends") == "10 15 25 32");
  }
  SECTION("of one that does not say it nothing is said") {
    saved.epoch_ends.clear();
    TrainerStage second{with_momentum()};
    REQUIRE(second.world.ask<Restored>(second.trainer, Restore{saved}));
    second.finish_after(34);
    second.run();
    CHECK(second.run_status().count("epoch_ends") == 0);
  }
}

TEST_CASE("between two epochs training resumes with whole epochs of another size, and reports that",
          "[B45]") {
  auto two_epochs = with_momentum();
  two_epochs.epochs = 2;
  TrainerStage first{two_epochs};
  CHECK(first.run().position.batches == 20);
  const auto saved = saved_by(first);
  auto larger = with_momentum();
  larger.toy.batch_size = 40; // 3 batches
  TrainerStage second{larger};
  REQUIRE(second.world.ask<Restored>(second.trainer, Restore{saved}));
  second.finish_after(24);
  CHECK(second.run().position.epochs == 3);
  CHECK(second.problem->asked().size() == 95 + 40);
  CHECK(second.heard->texts()
        == std::vector<std::string>{
          "from here on an epoch has 3 batches (95 examples), before it had 10 batches (95 "
          "examples)"});
}

TEST_CASE("within an epoch a state with another epoch size is refused", "[B45]") {
  TrainerStage first{with_momentum()};
  first.finish_after(13);
  first.run();
  auto larger = with_momentum();
  larger.toy.batch_size = 40;
  TrainerStage second{larger};
  const auto before = saved_by(second);
  CHECK_THAT(second.refusal<Restored>(Restore{saved_by(first)}),
             Catch::Contains("worker 0 cannot continue")
               && Catch::Contains("10 batches (95 examples)")
               && Catch::Contains("3 batches (95 examples)"));
  CHECK(saved_by(second) == before);
}

TEST_CASE("a running trainer can be saved in the middle of an epoch", "[B45]") {
  TrainerStage first{with_momentum(1)};
  first.start();
  first.world.pass(13s + 500ms, 100ms);
  const auto saved = saved_by(first);
  CHECK(saved.position.batches == 13);
  CHECK(saved.epoch_started);
  TrainerStage second{with_momentum()};
  second.note("a",
              Conditions{}.set_trigger("before_epoch", true).set_trigger("on_resumption", true));
  REQUIRE(second.world.ask<Restored>(second.trainer, Restore{saved}));
  second.finish_after(all_batches);
  check_equal(second.run(), undisturbed());
  CHECK(*second.trace == std::vector<std::string>{"a on_resumption 13", "a before_epoch 20"});
}

TEST_CASE("two runs of one seed have the same bits", "[B45][M10]") {
  check_equal(undisturbed(), undisturbed());
}

TEST_CASE("observers, gates and pauses do not change a bit", "[B45][P15]") {
  TrainerStage stage{with_momentum(1)};
  stage.finish_after(all_batches);
  stage.start();
  stage.world.pass(4s + 500ms, 100ms);
  const auto gate = stage.note("gate", every_callback());
  auto events = std::make_shared<std::vector<LoopEvent>>();
  const auto observer = stage.subscribe(Subscribe{
    "observer", every_callback(), recording_observer(stage.world, events), Shows::parameters});
  stage.world.pass(5s, 100ms);
  stage.send(Pause{});
  stage.world.pass(5s, 100ms);
  REQUIRE(stage.world.ask<Unsubscribed>(stage.trainer, Unsubscribe{observer}));
  REQUIRE(stage.world.ask<Unsubscribed>(stage.trainer, Unsubscribe{gate}));
  stage.send(Resume{});
  stage.world.pass(60s, 500ms);
  CHECK(events->size() > 10);
  check_equal(stage.finished(), undisturbed());
}

TEST_CASE("a saved state holds the position, the optimizer and its learning rate", "[M39]") {
  TrainerStage stage{with_momentum()};
  stage.finish_after(13);
  REQUIRE(stage.world.ask<SetDone>(stage.trainer, Set{{{"learning_rate", 0.5e-4}}}));
  const auto finished = stage.run();
  const auto saved = saved_by(stage);
  CHECK(saved.parameters == finished.parameters);
  CHECK(saved.position == finished.position);
  CHECK(saved.cursor == 13);
  CHECK(saved.optimizer_steps == 13);
  CHECK(saved.learning_rate == Approx(0.5e-4));
  REQUIRE(saved.optimizer_slots.size() == 1);
  CHECK(saved.optimizer_slots.front().name == "momentum");
  TrainerStage other{with_momentum()};
  REQUIRE(other.world.ask<Restored>(other.trainer, Restore{saved}));
  CHECK(saved_by(other) == saved);
}

TEST_CASE("subscriptions from before a restore count from the restored position", "[B20][B45]") {
  TrainerStage first{in_no_time()};
  first.finish_after(4);
  first.run();
  TrainerStage second{in_no_time({}, 3)};
  const auto every
    = second.keep_events("every", trigger("every_n_batches", Value{std::int64_t{3}}));
  const auto once = second.keep_events("once", trigger("after_n_batches", Value{std::int64_t{2}}));
  REQUIRE(second.world.ask<SetDone>(second.trainer, RegisterTimeline{"tokens"}));
  REQUIRE(second.world.ask<Restored>(second.trainer, Restore{saved_by(first)}));
  second.run();
  REQUIRE(every->size() == 2);
  CHECK(every->at(0).position.batches == 6);
  CHECK(once->empty());
  CHECK(second.status().position.timelines.count("tokens"));
}

TEST_CASE("a restore is refused while training, and of another model", "[B44]") {
  TrainerStage stage{with_momentum(1)};
  auto saved = saved_by(stage);
  stage.start();
  stage.world.pass(1s + 500ms, 100ms);
  CHECK_THAT(stage.refusal<Restored>(Restore{saved}), Catch::Contains("stop it before"));
  // cure: is training; stop it before you restore a state
  stage.world.self->send(stage.trainer, Stop{});
  stage.world.pass(2s, 100ms);
  REQUIRE(stage.ended());
  CHECK(stage.world.ask<Restored>(stage.trainer, Restore{saved}));
  stage.start();
  stage.world.pass(1s + 500ms, 100ms);
  CHECK_THAT(stage.refusal<Finished>(Start{}), Catch::Contains("is training already"));
  // cure: is training already; stop it before you start it again
  stage.world.self->send(stage.trainer, Stop{});
  stage.world.pass(2s, 100ms);
  REQUIRE(stage.ended());
  stage.start();
  stage.world.pass(1s, 100ms);
  CHECK_FALSE(stage.ended());
  TrainerStage idle{with_momentum()};
  saved.layout.add("bias", {1});
  CHECK_THAT(idle.refusal<Restored>(Restore{saved}), Catch::Contains("'bias'"));
}

TEST_CASE("a restore that is refused changes nothing", "[B44]") {
  TrainerStage stage{with_momentum()};
  stage.finish_after(5);
  stage.run();
  const auto before = saved_by(stage);
  auto wrong = before;
  SECTION("other slots") { wrong.optimizer_slots.clear(); }
  SECTION("parameters of another size") { wrong.parameters.values = Block{7}; }
  SECTION("an invalid learning rate") { wrong.learning_rate = -1; }
  wrong.optimizer_steps = 99;
  wrong.position.batches = 99;
  if (wrong.parameters.values.size() == 1)
    wrong.parameters.values = Block::copy_of(std::vector<float>{-1});
  CHECK_FALSE(stage.refusal<Restored>(Restore{wrong}).empty());
  CHECK(saved_by(stage) == before);
}

TEST_CASE("problem and model are compared before any batch", "[M15][M16]") {
  class Images : public ToyProblem {
  public:
    Images() : ToyProblem(10) {
      images_.inputs = {{"images", ElementType::float32, {any_size, 28, 28}, 0}};
    }
    const DataSpec& spec() const override { return images_; }

  private:
    DataSpec images_;
  };
  auto problem = std::make_shared<Images>();
  CHECK_THROWS_WITH(toy_learner(problem), Catch::Contains("'x'"));
  CHECK(problem->asked().empty());
}
