#include "model/training/evaluation_pass.hpp"
#include "tests/support/toy_problem.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

TEST_CASE("a pass that reports its batches gives the result of one that does not",
          "[evaluation][M42]") {
  const auto toy = std::make_shared<test::ToyProblem>(10, 7);
  const auto model = std::make_shared<test::ToyModel>();
  const auto parameters = Block::copy_of(std::vector<float>{0.5f});
  EvaluationPass silent{toy, model, parameters, Section::test, 3, 0};
  EvaluationPass telling{toy, model, parameters, Section::test, 3, 0};
  std::vector<double> losses;
  while (!telling.done()) {
    Metrics batch;
    telling.step(batch);
    silent.step();
    losses.push_back(batch.values().front().second);
  }
  CHECK(silent.done());
  CHECK(telling.metrics().values() == silent.metrics().values());
  // loss of row i: (0.5 i - 2 i)^2 / 2
  CHECK(losses
        == std::vector<double>{1.125 * (0 + 1 + 4) / 3, 1.125 * (9 + 16 + 25) / 3, 1.125 * 36});
}

TEST_CASE("a long batch is evaluated in pieces, but counts as one batch", "[evaluation]") {
  struct Pieces : test::ToyModel {
    void evaluate(std::span<const float> parameters, const Batch& batch,
                  Metrics& metrics) override {
      sizes.push_back(batch.size);
      ToyModel::evaluate(parameters, batch, metrics);
    }
    std::vector<Index> sizes;
  };
  const auto toy = std::make_shared<test::ToyProblem>(10, 200);
  const auto model = std::make_shared<Pieces>();
  EvaluationPass pass{toy, model, Block::copy_of(std::vector<float>{0.5f}), Section::test, 150, 1};
  Metrics batch;
  pass.step(batch);
  CHECK(pass.done());
  CHECK(model->sizes == std::vector<Index>{64, 64, 22});
  // the mean of (0.5 i - 2 i)^2 / 2 for i = 0 .. 149
  CHECK(batch.values().front().second == Approx(1.125 * 149 * 299 / 6));
  CHECK(pass.batch().size == 150);
  CHECK(pass.batch().inputs.front().values.back() == 149);
}

TEST_CASE("more batches than a section has are all of them", "[evaluation][M21]") {
  const auto toy = std::make_shared<test::ToyProblem>(10, 7);
  const auto examples_of = [&](Step batches) {
    EvaluationPass pass{toy,    std::make_shared<test::ToyModel>(), Block{1}, Section::test, 2,
                        batches};
    while (!pass.done())
      pass.step();
    return pass.examples();
  };
  CHECK(examples_of(1) == 2);
  CHECK(examples_of(3) == 6);
  CHECK(examples_of(4) == 7);
  CHECK(examples_of(Step{1} << 62) == 7); // times 2 it overflows 64 bits
  CHECK(examples_of(Step{1} << 63) == 7);
  CHECK(examples_of(~Step{0}) == 7);
}
