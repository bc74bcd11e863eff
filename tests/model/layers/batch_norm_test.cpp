#include "model/layers/batch_norm.hpp"
#include "tests/support/layer_check.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace troupe;
using Catch::Contains;
using test::Numbers;

namespace {

/// A connected layer of two channels, with its initial parameters.
struct TwoChannels {
  BatchNormLayer<double> layer;
  Layout layout;
  Numbers parameters;

  TwoChannels() {
    layer.connect({any_size, 2}, "batch_norm0", layout);
    parameters.resize(static_cast<std::size_t>(layout.size()));
    layer.initialize(parameters, {1});
  }
  Numbers forward(const Numbers& x, bool training) {
    Numbers y(x.size());
    layer.begin({training, {}});
    layer.forward(parameters, x, y);
    return y;
  }
};

const Numbers four_rows{1, 10, 2, 30, 3, 10, 6, 30};

} // namespace

TEST_CASE("batch_norm in training gives each channel mean 0 and variance 1", "[layers]") {
  TwoChannels two;
  const auto y = two.forward(four_rows, true);
  for (std::size_t c = 0; c < 2; ++c) {
    double sum = 0, squares = 0;
    for (std::size_t i = c; i < y.size(); i += 2) {
      sum += y[i];
      squares += y[i] * y[i];
    }
    CHECK(sum == Approx(0).margin(1e-12));
    CHECK(squares / 4 == Approx(1).epsilon(1e-4));
  }
}

TEST_CASE("batch_norm outside of training uses the running statistics", "[layers]") {
  TwoChannels two;
  const auto mean = static_cast<std::size_t>(two.layout.find("batch_norm0.mean")->offset);
  const auto variance = static_cast<std::size_t>(two.layout.find("batch_norm0.variance")->offset);
  two.parameters[mean] = 2;
  two.parameters[variance] = 4;
  const auto y = two.forward({6, 5}, false);
  CHECK(y[0] == Approx((6 - 2) / std::sqrt(4 + 1e-5)));
  CHECK(y[1] == Approx(5).epsilon(1e-4));
}

TEST_CASE("batch_norm reports the change of its running statistics", "[layers]") {
  TwoChannels two;
  two.forward(four_rows, true);
  Numbers gradient(two.parameters.size(), 99), dy(8, 1), dx(8);
  two.layer.backward({two.parameters, four_rows, {}, dy, dx, gradient});
  const auto at = [&](const std::string& name) {
    return static_cast<std::size_t>(two.layout.find("batch_norm0." + name)->offset);
  };
  CHECK(gradient[at("mean")] == Approx(0.1 * 3));
  CHECK(gradient[at("mean") + 1] == Approx(0.1 * 20));
  CHECK(gradient[at("variance")] == Approx(0.1 * (14.0 / 3 - 1)));
  CHECK(gradient[at("variance") + 1] == Approx(0.1 * (400.0 / 3 - 1)));
  for (const auto* name : {"mean", "variance"})
    CHECK(two.layout.find(std::string{"batch_norm0."} + name)->role == ParameterRole::statistic);
}

TEST_CASE("the gradients of batch_norm equal finite differences", "[layers][B50]") {
  for (const auto& shape : {Shape{any_size, 4}, Shape{any_size, 3, 2, 4}})
    for (const auto training : {true, false}) {
      INFO(to_string(shape) << (training ? " in training" : ""));
      BatchNormLayer<double> layer;
      CHECK(test::worst_gradient(layer, shape, 6, {training, {}}) < 1e-6);
    }
}

TEST_CASE("batch_norm skips an input gradient that is not needed", "[layers]") {
  BatchNormLayer<double> layer;
  CHECK(test::same_without_dx(layer, {any_size, 3, 4}, 5));
}

TEST_CASE("a running variance below 0, which extrapolating update rules can make, counts as 0",
          "[layers]") {
  TwoChannels two;
  two.parameters[static_cast<std::size_t>(two.layout.find("batch_norm0.variance")->offset)] = -1;
  CHECK(std::isfinite(two.forward({6, 5}, false)[0]));
}

TEST_CASE("batch_norm refuses shapes without channels and invalid options", "[layers]") {
  Layout layout;
  CHECK_THROWS_WITH(BatchNormLayer<float>{}.connect({any_size}, "batch_norm0", layout),
                    Contains("'batch_norm0'") && Contains("[any]"));
  CHECK_THROWS_AS(BatchNormLayer<float>({.epsilon = 0}), std::invalid_argument);
  CHECK_THROWS_AS(BatchNormLayer<float>({.momentum = 0}), std::invalid_argument);
}
