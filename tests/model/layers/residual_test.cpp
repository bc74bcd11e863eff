#include "model/layers/activations.hpp"
#include "model/layers/batch_norm.hpp"
#include "model/layers/dropout.hpp"
#include "model/layers/linear.hpp"
#include "model/layers/relu.hpp"
#include "model/layers/residual.hpp"
#include "tests/support/layer_check.hpp"

#include <catch2/catch.hpp>

#include <array>

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

using Results = std::array<Numbers, 3>; ///< y, dx, and the gradient of the parameters

constexpr Index rectified_batch = 9;

template <class Made, class... Arguments>
void append(Layers& layers, Arguments&&... arguments) {
  layers.push_back(std::make_unique<Made>(std::forward<Arguments>(arguments)...));
}

/// relu, for the layer before it or, behind a layer that does nothing, on its own.
void append_relu(Layers& layers, bool separate) {
  if (separate)
    append<DropoutLayer<double>>(layers, DropoutOptions{0.0});
  append<ReluLayer<double>>(layers);
}

/// batch_norm and two residual blocks, one with layers in its shortcut, each with a relu.
Layers rectified_layers(bool separate) {
  Layers layers, inner, other, shortcut;
  append<BatchNormLayer<double>>(layers);
  append_relu(layers, separate);
  append<LinearLayer<double>>(inner, 5);
  append<BatchNormLayer<double>>(inner);
  append_relu(inner, separate);
  append<ResidualLayer<double>>(layers, std::move(inner));
  append_relu(layers, separate);
  append<LinearLayer<double>>(other, 20);
  append<LinearLayer<double>>(shortcut, 20);
  append<ResidualLayer<double>>(layers, std::move(other), std::move(shortcut));
  append_relu(layers, separate);
  return layers;
}

Results results_of(Chain<double>& chain, const Layout& layout) {
  const auto parameters = test::random_numbers(static_cast<std::size_t>(layout.size()), 1);
  const auto x = test::random_numbers(rectified_batch * 5, 2);
  const auto dy = test::random_numbers(rectified_batch * 20, 3);
  Numbers gradient(parameters.size());
  chain.begin({.training = true});
  const auto y = chain.forward(parameters, x);
  Results results{Numbers(y.begin(), y.end())};
  std::copy(dy.begin(), dy.end(), chain.output_gradient().begin());
  const auto dx = chain.backward(parameters, x, gradient, true);
  results[1].assign(dx.begin(), dx.end());
  results[2] = gradient;
  return results;
}

void check_equal(const Results& results, const Results& expected) {
  for (std::size_t part = 0; part < results.size(); ++part) {
    REQUIRE(results[part].size() == expected[part].size());
    for (std::size_t i = 0; i < results[part].size(); ++i)
      CHECK(results[part][i] == Approx(expected[part][i]).margin(1e-10));
  }
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

TEST_CASE("a relu within the layer before it computes the same as on its own", "[layers]") {
  Chain<double> fused, separate;
  Layout layout, same;
  fused.connect({any_size, 5}, "", rectified_layers(false), layout);
  separate.connect({any_size, 5}, "", rectified_layers(true), same);
  REQUIRE(layout.size() == same.size());
  check_equal(results_of(fused, layout), results_of(separate, same));
}

TEST_CASE("the copy of a chain applies relu where the chain does", "[layers]") {
  Chain<double> chain;
  Layout layout;
  chain.connect({any_size, 5}, "", rectified_layers(false), layout);
  Chain<double> copy{chain};
  check_equal(results_of(copy, layout), results_of(chain, layout));
}
