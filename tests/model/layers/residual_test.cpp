#include "model/layers/activations.hpp"
#include "model/layers/dropout.hpp"
#include "model/layers/linear.hpp"
#include "model/layers/residual.hpp"
#include "tests/support/layer_check.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using Catch::Contains;
using test::Numbers;

namespace {

using Layers = Chain<double>::Layers;

/// linear to `hidden`, tanh, linear to `outputs`
Layers bottleneck(Index hidden, Index outputs) {
  Layers layers;
  layers.push_back(std::make_unique<LinearLayer<double>>(hidden));
  layers.push_back(make_activation<double>("tanh"));
  layers.push_back(std::make_unique<LinearLayer<double>>(outputs));
  return layers;
}

Layers only_linear(Index outputs) {
  Layers layers;
  layers.push_back(std::make_unique<LinearLayer<double>>(outputs));
  return layers;
}

} // namespace

TEST_CASE("a residual block adds its input to the output of its layers", "[layers]") {
  ResidualLayer<double> layer{only_linear(2)};
  Layout layout;
  CHECK(layer.connect({any_size, 2}, "residual0", layout) == Shape{any_size, 2});
  REQUIRE(layout.find("residual0.linear0.weight") != nullptr);
  const Numbers parameters{1, 2, 3, 4, 10, 20}, x{1, 1};
  Numbers y(2);
  layer.forward(parameters, x, y);
  CHECK(y == Numbers{1 + 4 + 10, 1 + 6 + 20});
}

TEST_CASE("the gradients of residual blocks equal finite differences", "[layers][B50]") {
  ResidualLayer<double> plain{bottleneck(3, 5)}, projected{bottleneck(3, 4), only_linear(4)};
  CHECK(test::worst_gradient(plain, {any_size, 5}, 4) < 1e-6);
  CHECK(test::worst_gradient(projected, {any_size, 5}, 4) < 1e-6);
  Layers nested;
  nested.push_back(std::make_unique<ResidualLayer<double>>(bottleneck(3, 5)));
  nested.push_back(std::make_unique<DropoutLayer<double>>(DropoutOptions{0.3}));
  ResidualLayer<double> outer{std::move(nested)};
  CHECK(test::worst_gradient(outer, {any_size, 5}, 4, {true, {7}}) < 1e-6);
}

TEST_CASE("a residual block skips an input gradient that is not needed", "[layers]") {
  ResidualLayer<double> layer{bottleneck(3, 5), only_linear(5)};
  CHECK(test::same_without_dx(layer, {any_size, 5}, 4));
}

TEST_CASE("the copy of a residual block computes the same as the block", "[layers]") {
  ResidualLayer<double> layer{bottleneck(3, 5), only_linear(5)};
  Layout layout;
  layer.connect({any_size, 5}, "residual0", layout);
  const auto parameters = test::random_numbers(static_cast<std::size_t>(layout.size()), 1);
  const auto x = test::random_numbers(10, 2);
  Numbers y(10), of_copy(10);
  layer.forward(parameters, x, y);
  layer.clone()->forward(parameters, x, of_copy);
  CHECK(y == of_copy);
}

TEST_CASE("a residual block whose parts do not fit is refused with a sentence", "[layers]") {
  Layout layout;
  ResidualLayer<double> layer{only_linear(3)};
  CHECK_THROWS_WITH(layer.connect({any_size, 5}, "residual0", layout),
                    Contains("'residual0'") && Contains("[any, 3]") && Contains("[any, 5]"));
  CHECK_THROWS_AS(ResidualLayer<double>{Layers{}}, std::invalid_argument);
}
