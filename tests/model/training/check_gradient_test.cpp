#include "model/training/check_gradient.hpp"
#include "tests/support/toy_problem.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using namespace troupe::test;

namespace {

/// Two parameters, of which the second one's gradient is wrong.
struct WrongGradient : CopiedModel<WrongGradient> {
  Layout layout_;
  WrongGradient() {
    layout_.add("right", {1});
    layout_.add("wrong", {2});
  }
  std::string name() const override { return "wrong"; }
  const Layout& layout() const override { return layout_; }
  std::vector<FieldSpec> inputs() const override { return {}; }
  FieldSpec prediction() const override { return {}; }
  void initialize(std::span<float>, RandomKey) const override {}
  std::span<const float> forward(std::span<const float> p, const Batch&) override { return p; }
  double loss_and_gradient(std::span<const float> p, const Batch&, std::span<float> g) override {
    g[0] = 2 * p[0];
    g[1] = 1;
    g[2] = 5;
    return double{p[0]} * p[0] + p[1] + 4.0 * p[2];
  }
};

Batch toy_batch() {
  Batch batch;
  ToyProblem{10}.gather(Section::train, std::vector<Index>{1, 2, 3}, batch);
  return batch;
}

} // namespace

TEST_CASE("the gradient of a correct model is close to differences of its loss", "[gradient]") {
  ToyModel model;
  std::vector<float> parameters{0.5f};
  const auto check = check_gradient<float>(model, parameters, toy_batch());
  CHECK(check.error < 0.01);
  CHECK(check.parameter == "w");
  CHECK(parameters.front() == 0.5f);
}

TEST_CASE("a wrong gradient is found with its parameter and its element", "[gradient]") {
  WrongGradient model;
  std::vector<float> parameters{1, 2, 3};
  const auto check = check_gradient<float>(model, parameters, toy_batch());
  CHECK(check.parameter == "wrong");
  CHECK(check.element == 1);
  CHECK(check.computed == 5);
  CHECK(check.expected == Approx(4).epsilon(0.01));
  CHECK(check.error == Approx(0.2).epsilon(0.05));
}

TEST_CASE("a model with the fewest functions is evaluated by its loss, and copied", "[model]") {
  WrongGradient model;
  std::vector<float> parameters{1, 2, 3};
  Metrics metrics;
  model.evaluate(parameters, toy_batch(), metrics);
  REQUIRE(metrics.values().size() == 1);
  CHECK(metrics.values().front().second == Approx(15));
  CHECK(model.clone()->layout().size() == 3);
  CHECK(model.loss_name() == "loss");
  CHECK(model.target_kind() == TargetKind::same_shape);
}
