// Pending requests to an actor that ends are answered, whatever ends it.
#include "actors/evaluation/evaluator.hpp"
#include "model/training/host_learner.hpp"
#include "tests/support/trainer_stage.hpp"

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

void dismiss_one(DeterministicSystem& world, const caf::actor& actor) {
  world.self->send_exit(actor, caf::exit_reason::user_shutdown);
  world.run();
}

/// They throw something that is no std::exception.
struct ThrowingProblem : ToyProblem {
  ThrowingProblem() : ToyProblem(30) {}
  void gather(Section, std::span<const Index>, Batch&) const override { throw 42; }
};
struct ThrowingModel : ToyModel {
  double loss_and_gradient(std::span<const float>, const Batch&, std::span<float>) override {
    throw 42;
  }
  void evaluate(std::span<const float>, const Batch&, Metrics&) override { throw 42; }
  std::unique_ptr<Model> clone() const override { return std::make_unique<ThrowingModel>(*this); }
};

/// The error with which training of `model` on `problem` ends.
std::string error_of(std::shared_ptr<Problem> problem, std::unique_ptr<Model> model,
                     const TrainerOptions& options = {}, const Conditions& conditions = {}) {
  DeterministicSystem world;
  const auto learner
    = std::make_shared<HostLearner>(problem, std::move(model), make_optimizer(SgdOptions{}, 1),
                                    BatchOrder{{.examples = 30, .batch_size = 10}});
  learner->initialize(RandomKey{0});
  const auto trainer = world.keep(spawn_trainer(world.system, learner, {}, options));
  const auto events = std::make_shared<std::vector<LoopEvent>>();
  REQUIRE(world.ask<Subscribed>(
    trainer, Subscribe{"looker", conditions, recording_observer(world, events)}));
  const auto finished = world.ask<Finished>(trainer, Start{});
  REQUIRE(finished);
  CHECK(finished->outcome == Outcome::failed);
  return finished->error;
}

} // namespace

TEST_CASE("a request for the end of training is answered when its trainer ends", "[B15]") {
  Stage stage;
  const Pending<Finished> finished{stage.world, stage.trainer, Start{}};
  stage.world.pass(1s, 100ms);
  const Pending<Quiesced> standing{stage.world, stage.trainer, Quiesce{5}};
  stage.world.run();
  REQUIRE_FALSE((finished.answered() || finished.error()));
  dismiss_one(stage.world, caf::actor_cast<caf::actor>(stage.trainer));
  CHECK_FALSE(finished.answered());
  CHECK(finished.error() == Error::training_failed);
  CHECK_THAT(sentence(finished.error()),
             Contains("the trainer of worker 0 has ended") && Contains("user shutdown"));
  CHECK(standing.error() == Error::training_failed);
}

TEST_CASE("a request for the end of training is answered when its trainer throws", "[B13][B15]") {
  struct Fragile : ToyProblem {
    Fragile() : ToyProblem(30) {}
    Index curriculum_length(Epoch) const override { throw std::runtime_error("no such table"); }
  };
  DeterministicSystem world;
  const auto trainer
    = world.keep(spawn_trainer(world.system, toy_learner(std::make_shared<Fragile>()), {}));
  const auto finished = world.ask<Finished>(trainer, Start{});
  REQUIRE_FALSE(finished);
  CHECK_THAT(sentence(finished.error()),
             Contains("the trainer of worker 0 has ended (no such table)"));
}

TEST_CASE("throwing something that is no std::exception fails training like other errors",
          "[B13]") {
  CHECK_THAT(error_of(std::make_shared<ThrowingProblem>(), std::make_unique<ToyModel>()),
             Contains("worker 0") && Contains("not a std::exception"));
  CHECK_THAT(error_of(std::make_shared<ToyProblem>(30), std::make_unique<ThrowingModel>()),
             Contains("worker 0") && Contains("not a std::exception"));
}

TEST_CASE("a predicate that throws fails training with the extension's name", "[B13][B30]") {
  TrainerOptions options;
  options.predicates["fragile"] = [](const Records&, const Position& now) -> bool {
    if (now.batches == 2)
      throw std::runtime_error("no such table");
    return false;
  };
  const auto conditions = Conditions{}.add_condition({"after_batch"}, "fragile");
  CHECK_THAT(
    error_of(std::make_shared<ToyProblem>(30), std::make_unique<ToyModel>(), options, conditions),
    Contains("'looker' failed at after_batch of batch 2: no such table"));
}

TEST_CASE("a request for a measurement is answered when the evaluator ends", "[evaluator][B15]") {
  DeterministicSystem world;
  const auto problem = std::make_shared<ToyProblem>(30, 1000);
  const auto evaluator = world.keep(spawn_evaluator(
    world.system, problem, std::make_shared<ToyModel>(), {.batch_size = 1, .slice = 0}));
  auto pending = world.self->request(evaluator, caf::infinite,
                                     Evaluate{{1, Block{1}}, Section::validation, 0});
  REQUIRE(world.step()); // it measures one batch after the other
  dismiss_one(world, caf::actor_cast<caf::actor>(evaluator));
  std::string heard;
  pending.receive([](const Evaluated&) {},
                  [&](const caf::error& error) { heard = sentence(error); });
  CHECK_THAT(heard, Contains("the evaluator has ended") && Contains("user shutdown"));
}

TEST_CASE("a model that throws something that is no std::exception cannot be measured",
          "[evaluator][B15]") {
  DeterministicSystem world;
  const auto evaluator = world.keep(spawn_evaluator(world.system, std::make_shared<ToyProblem>(30),
                                                    std::make_shared<ThrowingModel>()));
  const auto measured
    = world.ask<Evaluated>(evaluator, Evaluate{{1, Block{1}}, Section::validation, 0});
  REQUIRE_FALSE(measured);
  CHECK_THAT(sentence(measured.error()), Contains("not a std::exception"));
}

TEST_CASE("a request for a row is answered when the logger ends", "[logger][B15]") {
  DeterministicSystem world;
  const auto logger = world.keep(spawn_logger(world.system));
  world.self->send(logger, Expect{{0, 3}, "metrics"});
  const Pending<Row> row{world, logger, ReadRow{{0, 3}, true}};
  world.run();
  REQUIRE_FALSE((row.answered() || row.error()));
  dismiss_one(world, caf::actor_cast<caf::actor>(logger));
  CHECK(row.error() == Error::unavailable);
  CHECK_THAT(sentence(row.error()), Contains("the logger has ended"));
}
