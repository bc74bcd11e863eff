#include "actors/evaluation/evaluator.hpp"
#include "messages/requests/error.hpp"
#include "model/training/evaluation_pass.hpp"
#include "tests/support/deterministic_system.hpp"
#include "tests/support/toy_problem.hpp"

using namespace troupe;
using namespace troupe::test;

namespace {

struct Evaluation {
  explicit Evaluation(EvaluatorOptions options = {.batch_size = 4})
    : batch_size(options.batch_size) {
    evaluator
      = world.keep(spawn_evaluator(world.system, problem, std::make_shared<ToyModel>(), options));
  }

  /// Half the mean squared error of w x, where y = 2 x, over rows 0 .. n - 1.
  static double loss(double w, int n) {
    double sum = 0;
    for (auto x = 0; x < n; ++x)
      sum += (w * x - 2 * x) * (w * x - 2 * x) / 2;
    return sum / n;
  }

  caf::expected<Evaluated> ask(const Evaluate& request) {
    return world.ask<Evaluated>(evaluator, request);
  }

  Index batch_size;
  DeterministicSystem world;
  std::shared_ptr<ToyProblem> problem = std::make_shared<ToyProblem>(30, 10);
  Evaluator evaluator;
};

Snapshot snapshot(Version version, float w) {
  return {version, Block::copy_of(std::vector<float>{w})};
}

} // namespace

TEST_CASE("metrics equal a direct computation, including a smaller last batch",
          "[evaluator][B35][T20]") {
  Evaluation evaluation;
  const auto evaluated = evaluation.ask({snapshot(7, 1.5f), Section::validation, 0});
  REQUIRE(evaluated);
  REQUIRE(evaluated->metrics.size() == 1);
  CHECK(evaluated->metrics.front().name == "loss");
  CHECK(evaluated->metrics.front().value == Approx(Evaluation::loss(1.5, 10)));
  CHECK(evaluated->examples == 10);
}

TEST_CASE("an evaluation has its version and section", "[evaluator]") {
  Evaluation evaluation;
  const auto evaluated = evaluation.ask({snapshot(17, 1), Section::train, 0});
  REQUIRE(evaluated);
  CHECK(evaluated->version == 17);
  CHECK(evaluated->section == Section::train);
  CHECK(evaluated->metrics.front().value == Approx(Evaluation::loss(1, 30)));
}

TEST_CASE("an evaluation may be limited to the first batches", "[evaluator][M21]") {
  Evaluation evaluation;
  const auto two = evaluation.ask({snapshot(0, 1), Section::validation, 2});
  REQUIRE(two);
  CHECK(two->examples == 8);
  CHECK(two->metrics.front().value == Approx(Evaluation::loss(1, 8)));
  const auto all = evaluation.ask({snapshot(0, 1), Section::validation, 99});
  REQUIRE(all);
  CHECK(all->examples == 10);
}

TEST_CASE("requests for which batches do not count may have larger ones", "[evaluator]") {
  Evaluation evaluation{{.batch_size = 4, .uncounted_batch_size = 100, .slice = 0}};
  Pending<Evaluated> plain{evaluation.world, evaluation.evaluator,
                           Evaluate{snapshot(0, 1), Section::validation, 0}};
  evaluation.world.step(); // it starts
  evaluation.world.step(); // one batch
  REQUIRE(plain.answered());
  CHECK(plain->examples == 10);
  CHECK(evaluation.ask({snapshot(0, 1), Section::validation, 2})->examples == 8);
  CHECK(evaluation.ask({snapshot(0, 1), Section::validation, 0, true})->batches == 3);
}

TEST_CASE("metrics of single batches are returned on request", "[evaluator][M31]") {
  Evaluation evaluation;
  const auto plain = evaluation.ask({snapshot(0, 1), Section::validation, 0});
  REQUIRE(plain);
  CHECK(plain->spreads.empty());
  const auto spread = evaluation.ask({snapshot(0, 1), Section::validation, 0, true});
  REQUIRE(spread);
  CHECK(spread->metrics.front().value == Approx(plain->metrics.front().value));
  CHECK(spread->batches == 3); // rows 0 to 3, 4 to 7, 8 and 9, with losses x^2 / 2
  REQUIRE(spread->spreads.size() == 1);
  CHECK(spread->spreads.front().minimum == Approx((0 + 1 + 4 + 9) / 8.0));
  CHECK(spread->spreads.front().maximum == Approx((64 + 81) / 4.0));
}

TEST_CASE("requests are served one after the other, each with its own parameters", "[evaluator]") {
  Evaluation evaluation{{.batch_size = 1, .slice = 0}}; // one batch, then the mailbox
  Pending<Evaluated> first{evaluation.world, evaluation.evaluator,
                           Evaluate{snapshot(1, 1), Section::train, 0}};
  Pending<Evaluated> second{evaluation.world, evaluation.evaluator,
                            Evaluate{snapshot(2, 3), Section::validation, 0}};
  evaluation.world.run();
  REQUIRE(first.answered());
  REQUIRE(second.answered());
  CHECK(first->version == 1);
  CHECK(first->metrics.front().value == Approx(Evaluation::loss(1, 30)));
  CHECK(second->version == 2);
  CHECK(second->metrics.front().value == Approx(Evaluation::loss(3, 10)));
}

TEST_CASE("an evaluation beyond its deadline is given up, and the next one is served",
          "[evaluator]") {
  Evaluation evaluation{{.batch_size = 1, .slice = 0}};
  auto& self = evaluation.world.self;
  const Evaluate slow{snapshot(1, 1), Section::train, 0, false, 2};
  auto pending = self->request(evaluation.evaluator, caf::infinite, slow);
  evaluation.world.step(); // it starts
  evaluation.world.step(); // one batch
  evaluation.world.advance(3s);
  std::string refusal;
  pending.receive([](const Evaluated&) {},
                  [&](const caf::error& error) { refusal = sentence(error); });
  CHECK(refusal == "it has not finished after 2 s");
  CHECK(evaluation.ask(slow)); // no time passes now
}

TEST_CASE("parameters of another size are refused, and the next request is served", "[evaluator]") {
  Evaluation evaluation;
  const auto refused = evaluation.ask({{1, Block{5}}, Section::validation, 0});
  REQUIRE_FALSE(refused);
  CHECK(refused.error() == Error::shape_mismatch);
  CHECK_THAT(sentence(refused.error()), Catch::Contains("5 parameters"));
  CHECK(evaluation.ask({snapshot(1, 1), Section::validation, 0}));
}

TEST_CASE("a section without examples has metrics of no examples", "[evaluator]") {
  Evaluation evaluation;
  evaluation.problem = std::make_shared<ToyProblem>(30, 0);
  evaluation.evaluator = evaluation.world.keep(
    spawn_evaluator(evaluation.world.system, evaluation.problem, std::make_shared<ToyModel>()));
  const auto evaluated = evaluation.ask({snapshot(1, 1), Section::validation, 0});
  REQUIRE(evaluated);
  CHECK(evaluated->examples == 0);
  CHECK(evaluated->metrics.empty());
}

TEST_CASE("a read error is the answer's error, and the next request is served", "[evaluator]") {
  Evaluation evaluation;
  evaluation.problem->poison(5);
  const auto failed = evaluation.ask({snapshot(1, 1), Section::train, 0});
  REQUIRE_FALSE(failed);
  CHECK_THAT(sentence(failed.error()), Catch::Contains("row 5 cannot be read"));
  CHECK(evaluation.ask({snapshot(1, 1), Section::validation, 0}));
}
