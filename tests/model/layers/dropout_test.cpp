#include "model/layers/dropout.hpp"
#include "tests/support/layer_check.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace troupe;
using Catch::Contains;
using test::Numbers;

namespace {

/// The output for an input of ones.
Numbers dropped(double rate, const PassContext& context, const std::string& name = "dropout0",
                std::size_t count = 10'000) {
  DropoutLayer<double> layer{{rate}};
  Layout layout;
  layer.connect({any_size, 10}, name, layout);
  Numbers x(count, 1), y(count);
  layer.begin(context);
  layer.forward({}, x, y);
  return y;
}

} // namespace

TEST_CASE("dropout in training drops its share and scales the rest", "[layers]") {
  const auto y = dropped(0.2, {true, {7}});
  const auto zeros = std::count(y.begin(), y.end(), 0.0);
  CHECK(zeros == Approx(2000).margin(120)); // three standard deviations
  CHECK(std::count(y.begin(), y.end(), 1 / 0.8) + zeros == 10'000);
}

TEST_CASE("dropout outside training and with rate 0 changes nothing", "[layers]") {
  CHECK(dropped(0.5, {false, {7}}) == Numbers(10'000, 1));
  CHECK(dropped(0, {true, {7}}) == Numbers(10'000, 1));
}

TEST_CASE("what dropout drops depends on the noise key and the layer's name only", "[layers]") {
  CHECK(dropped(0.5, {true, {7}}) == dropped(0.5, {true, {7}}));
  CHECK(dropped(0.5, {true, {7}}) != dropped(0.5, {true, {8}}));
  CHECK(dropped(0.5, {true, {7}}) != dropped(0.5, {true, {7}}, "dropout1"));
}

TEST_CASE("the gradients of dropout equal finite differences", "[layers][B50]") {
  DropoutLayer<double> layer{{0.3}};
  CHECK(test::worst_gradient(layer, {any_size, 11}, 5, {true, {7}}) < 1e-6);
  CHECK(test::worst_gradient(layer, {any_size, 11}, 5) < 1e-6);
}

TEST_CASE("a dropout rate that leaves nothing is refused", "[layers]") {
  CHECK_THROWS_WITH(DropoutLayer<float>({1}), Contains("1.0") && Contains("less than 1"));
  CHECK_THROWS_AS(DropoutLayer<float>({-0.1}), std::invalid_argument);
}
