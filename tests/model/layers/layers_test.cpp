#include "model/layers/activations.hpp"
#include "model/layers/initializers.hpp"
#include "model/layers/linear.hpp"
#include "model/tensor/buffer.hpp"
#include "tests/support/layer_check.hpp"

#include <catch2/catch.hpp>

#include <vector>

using namespace troupe;
using Catch::Contains;
using test::Numbers;
using test::random_numbers;
using test::worst_gradient;

TEST_CASE("the linear layer computes x W + b", "[layers]") {
  LinearLayer<float> layer{2};
  Layout layout;
  CHECK(layer.connect({any_size, 3}, "linear0", layout) == Shape{any_size, 2});
  REQUIRE(layout.parameters().size() == 2);
  CHECK(layout.find("linear0.weight")->shape == Shape{3, 2});
  CHECK(layout.find("linear0.bias")->shape == Shape{2});
  const std::vector<float> parameters{1, 2, 3, 4, 5, 6, 10, 20}, x{1, 0, 0, 1, 1, 1};
  std::vector<float> y(4);
  layer.forward(parameters, x, y);
  CHECK(y == std::vector<float>{11, 22, 19, 32});
}

TEST_CASE("the linear layer's gradients equal finite differences", "[layers][B50]") {
  LinearLayer<double> layer{4};
  CHECK(worst_gradient(layer, {any_size, 5}, 7) < 1e-6);
}

TEST_CASE("the linear layer works on the last dimension of a sequence", "[layers]") {
  LinearLayer<double> layer{2};
  CHECK(worst_gradient(layer, {any_size, 3, 5}, 2) < 1e-6);
}

TEST_CASE("the linear layer skips an input gradient that is not needed", "[layers]") {
  LinearLayer<double> layer{2};
  Layout layout;
  layer.connect({any_size, 3}, "layer", layout);
  const auto parameters = random_numbers(8, 1), x = random_numbers(6, 2), dy = random_numbers(4, 3);
  Numbers dx(6), with(8), without(8);
  layer.backward({parameters, x, {}, dy, dx, with});
  layer.backward({parameters, x, {}, dy, {}, without});
  CHECK(with == without);
}

TEST_CASE("a linear layer refuses shapes of unknown size, and 0 outputs", "[layers]") {
  Layout layout;
  LinearLayer<float> layer{2};
  CHECK_THROWS_WITH(layer.connect({any_size, any_size}, "linear0", layout),
                    Contains("linear0") && Contains("[any, any]"));
  CHECK_THROWS_AS(layer.connect({any_size}, "linear0", layout), std::invalid_argument);
  CHECK_THROWS_AS(LinearLayer<float>{0}, std::invalid_argument);
}

TEST_CASE("activations compute the functions that they are named after", "[layers]") {
  const Numbers x{-1000, -1, 0, 0.5, 1000};
  Numbers y(5);
  make_activation<double>("relu")->forward({}, x, y);
  CHECK(y == Numbers{0, 0, 0, 0.5, 1000});
  make_activation<double>("tanh")->forward({}, x, y);
  CHECK(y[1] == Approx(std::tanh(-1)));
  CHECK(y[4] == Approx(1));
  make_activation<double>("sigmoid")->forward({}, x, y);
  CHECK(y[0] == Approx(0).margin(1e-30));
  CHECK(y[1] == Approx(1 / (1 + std::exp(1))));
  CHECK(y[2] == 0.5);
  CHECK(y[4] == 1);
}

TEST_CASE("float activations agree with the mathematical functions", "[layers]") {
  std::vector<float> x(101), y(101);
  for (int i = 0; i <= 100; ++i)
    x[static_cast<std::size_t>(i)] = static_cast<float>(i - 50) / 5;
  make_activation<float>("tanh")->forward({}, x, y);
  for (std::size_t i = 0; i < x.size(); ++i)
    CHECK(y[i] == Approx(std::tanh(double{x[i]})).epsilon(1e-5));
  make_activation<float>("sigmoid")->forward({}, x, y);
  for (std::size_t i = 0; i < x.size(); ++i)
    CHECK(y[i] == Approx(1 / (1 + std::exp(-double{x[i]}))).epsilon(1e-5));
}

TEST_CASE("the gradients of activations equal finite differences", "[layers][B50]") {
  for (const auto& name : activation_names()) {
    INFO(name);
    CHECK(worst_gradient(*make_activation<double>(name), {any_size, 11}, 3) < 1e-6);
  }
}

TEST_CASE("an activation gives the same result in place and out of place", "[layers]") {
  for (const auto& name : activation_names()) {
    INFO(name);
    auto layer = make_activation<double>(name);
    if (!layer->in_place())
      continue;
    const auto random_x = random_numbers(37, 1), random_dy = random_numbers(37, 2);
    // Aligned, as in a network: the address determines which elements Eigen computes one by one.
    const Buffer<double> x(random_x.begin(), random_x.end()),
      dy(random_dy.begin(), random_dy.end());
    Buffer<double> y(37), dx(37);
    layer->forward({}, x, y);
    layer->backward({{}, x, y, dy, dx, {}});
    auto y_in_place = x, dx_in_place = dy;
    layer->forward({}, y_in_place, y_in_place);
    layer->backward({{}, y_in_place, y_in_place, dx_in_place, dx_in_place, {}});
    CHECK(y_in_place == y);
    CHECK(dx_in_place == dx);
  }
}

TEST_CASE("relu lets NaN through", "[layers]") {
  std::vector<float> x{std::nanf("")};
  make_activation<float>("relu")->forward({}, x, x);
  CHECK(std::isnan(x[0]));
}

TEST_CASE("an error about an unknown activation or initializer lists the known ones", "[layers]") {
  CHECK_THROWS_WITH(make_activation<float>("rlu"), Contains("rlu") && Contains("relu, tanh"));
  CHECK_THROWS_WITH(check_initializer("he"), Contains("'he'") && Contains("he_normal, he_uniform"));
  CHECK_THROWS_AS(LinearLayer<float>(3, "he"), std::invalid_argument);
}

TEST_CASE("initializers draw weights with the variance of their papers", "[layers]") {
  constexpr Index in = 200, out = 100;
  const std::pair<std::string, double> expected[] = {
    {"he_normal", 2.0 / in},
    {"he_uniform", 2.0 / in},
    {"lecun_normal", 1.0 / in},
    {"lecun_uniform", 1.0 / in},
    {"torch", 1.0 / (3 * in)},
    {"xavier_normal", 2.0 / (in + out)},
    {"zeros", 0},
    {"xavier_uniform", 2.0 / (in + out)},
  };
  CHECK(std::size(expected) == initializer_names().size());
  for (const auto& [name, variance] : expected) {
    INFO(name);
    Numbers weights(in * out), biases(out, 1);
    initialize_weights<double>(name, weights, in, out, {5});
    initialize_biases<double>(name, biases, in, {6});
    double sum = 0, squares = 0, largest = 0;
    for (auto w : weights) {
      sum += w;
      squares += w * w;
      largest = std::max(largest, std::abs(w));
    }
    CHECK(squares / (in * out) == Approx(variance).epsilon(0.05));
    CHECK(sum / (in * out) == Approx(0).margin(0.002));
    if (!name.ends_with("normal"))
      CHECK(largest <= std::sqrt(3 * variance));
    const bool has_biases = name == "torch";
    CHECK((biases == Numbers(out, 0)) != has_biases);
    for (auto b : biases)
      CHECK(std::abs(b) <= 1 / std::sqrt(double(in)));
  }
}

TEST_CASE("a parameter's initial numbers depend on its name and the key only", "[layers]") {
  const auto draw = [](Index before, std::uint64_t key) {
    Layout layout;
    if (before > 0)
      layout.add("other", {before});
    LinearLayer<float> layer{4, "torch"};
    layer.connect({any_size, 3}, "linear7", layout);
    std::vector<float> parameters(static_cast<std::size_t>(layout.size()));
    layer.initialize(parameters, {key});
    return std::vector<float>(parameters.begin() + before, parameters.end());
  };
  CHECK(draw(0, 1) == draw(5, 1));
  CHECK(draw(0, 1) != draw(0, 2));
}
