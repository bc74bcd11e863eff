#include "model/layers/flatten.hpp"
#include "model/layers/leaky_relu.hpp"
#include "model/layers/silu.hpp"
#include "model/layers/softmax.hpp"
#include "tests/support/layer_check.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace troupe;
using Catch::Contains;
using test::Numbers;

TEST_CASE("flatten makes one row of each example", "[layers]") {
  FlattenLayer<double> layer;
  Layout layout;
  CHECK(layer.connect({any_size, 2, 3}, "flatten0", layout) == Shape{any_size, 6});
  const auto x = test::random_numbers(12, 1);
  Numbers y(12);
  layer.forward({}, x, y);
  CHECK(y == x);
  CHECK(test::worst_gradient(layer, {any_size, 2, 3}, 2) < 1e-6);
  CHECK_THROWS_WITH(layer.connect({any_size, any_size}, "flatten0", layout),
                    Contains("'flatten0'") && Contains("[any, any]"));
}

TEST_CASE("leaky_relu and silu compute the functions that they are named after", "[layers]") {
  const Numbers x{-2, 0, 3};
  Numbers y(3);
  LeakyReluLayer<double>{{0.25}}.forward({}, x, y);
  CHECK(y == Numbers{-0.5, 0, 3});
  SiluLayer<double>{}.forward({}, x, y);
  CHECK(y[0] == Approx(-2 / (1 + std::exp(2))));
  CHECK(y[1] == 0);
  CHECK(y[2] == Approx(3 / (1 + std::exp(-3))));
  CHECK_THROWS_WITH(LeakyReluLayer<double>({-1}), Contains("-1"));
}

TEST_CASE("each row of softmax has the sum 1, however large its numbers", "[layers]") {
  SoftmaxLayer<double> layer;
  Layout layout;
  CHECK(layer.connect({any_size, 2}, "softmax0", layout) == Shape{any_size, 2});
  const Numbers x{0, std::log(3.0), 1000, -1000};
  Numbers y(4);
  layer.forward({}, x, y);
  CHECK(y[0] == Approx(0.25));
  CHECK(y[1] == Approx(0.75));
  CHECK(y[2] == Approx(1));
  CHECK(y[3] == Approx(0).margin(1e-12));
  CHECK_THROWS_WITH(layer.connect({any_size}, "softmax0", layout), Contains("'softmax0'"));
}

TEST_CASE("the gradients of leaky_relu, silu and softmax equal finite differences",
          "[layers][B50]") {
  LeakyReluLayer<double> leaky;
  SiluLayer<double> silu;
  SoftmaxLayer<double> softmax;
  for (Layer<double>* layer :
       {static_cast<Layer<double>*>(&leaky), static_cast<Layer<double>*>(&silu),
        static_cast<Layer<double>*>(&softmax)}) {
    INFO(layer->kind());
    CHECK(test::worst_gradient(*layer, {any_size, 3, 5}, 4) < 1e-6);
  }
}
