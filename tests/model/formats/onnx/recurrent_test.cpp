#include "model/layers/recurrent/gru.hpp"
#include "model/layers/recurrent/lstm.hpp"
#include "tests/support/layer_check.hpp"
#include "tests/support/layer_fixture.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using Catch::Contains;

namespace {

template <class Make>
void check_recurrent_gradients(Make make) {
  for (const Index length : {1, 2, 6})
    for (const Index batch : {1, 3})
      for (const bool last : {false, true})
        for (const bool reverse : {false, true}) {
          INFO("length " << length << ", batch " << batch << ", last " << last << ", reverse "
                         << reverse);
          auto layer = make(RecurrentOptions{last, reverse, "torch"});
          CHECK(test::worst_gradient(layer, {any_size, length, 3}, batch, {}, 1) < 1e-6);
        }
}

/// Hidden states of 3 units for 2 examples of 4 steps, from parameters that depend on the layout
/// only.
std::vector<double> states(Layer<double>& layer, bool mirrored = false) {
  Layout layout;
  const auto output = layer.connect({any_size, 4, 2}, "layer", layout);
  const auto parameters = test::random_numbers(static_cast<std::size_t>(layout.size()), 1);
  auto x = test::random_numbers(16, 2);
  if (mirrored)
    for (std::size_t i = 0; i < 16; i += 8)
      for (std::size_t t = 0; t < 2; ++t)
        std::swap_ranges(&x[i + 2 * t], &x[i + 2 * t] + 2, &x[i + 2 * (3 - t)]);
  std::vector<double> y(test::numbers_in(output, 2));
  layer.forward(parameters, x, y);
  return y;
}

template <class Recurrent>
void check_last() {
  Recurrent all{3}, last{3, {.last = true}}, reversed{3, {.reverse = true}},
    reversed_last{3, {.last = true, .reverse = true}};
  const auto y = states(all), y_last = states(last), back = states(reversed),
             back_last = states(reversed_last), mirrored = states(all, true);
  for (std::size_t b = 0; b < 2; ++b)
    for (std::size_t j = 0; j < 3; ++j) {
      CHECK(y_last[b * 3 + j] == y[b * 12 + 9 + j]);
      CHECK(back_last[b * 3 + j] == back[b * 12 + j]);
      for (std::size_t t = 0; t < 4; ++t)
        CHECK(back[b * 12 + t * 3 + j] == mirrored[b * 12 + (3 - t) * 3 + j]);
    }
}

struct RecurrentPasses {
  std::vector<double> y, dx, gradient;
};

/// What a layer makes of examples [first, end) of 7 steps.
template <class Recurrent>
RecurrentPasses recurrent_passes(const RecurrentOptions& options, Index first, Index end) {
  Recurrent layer{3, options};
  Layout layout;
  const auto output = layer.connect({any_size, 7, 2}, "layer", layout);
  const auto parameters = test::random_numbers(static_cast<std::size_t>(layout.size()), 1);
  const auto rows = [&](const Shape& shape, std::uint64_t key) {
    const auto all = test::random_numbers(test::numbers_in(shape, end), key);
    return std::vector<double>{all.begin() + static_cast<long>(test::numbers_in(shape, first)),
                               all.end()};
  };
  const auto x = rows({any_size, 7, 2}, 2), dy = rows(output, 3);
  RecurrentPasses passes{std::vector<double>(dy.size()), std::vector<double>(x.size()),
                         std::vector<double>(parameters.size(), 99)};
  layer.forward(parameters, x, passes.y);
  layer.backward({parameters, x, passes.y, dy, passes.dx, passes.gradient});
  return passes;
}

double farthest_apart(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = a.size() == b.size() ? 0 : 1e9;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

/// A batch of 90 examples goes through its steps in stretches of two, a single one in one stretch.
template <class Recurrent>
void check_stretches(const RecurrentOptions& options) {
  const auto whole = recurrent_passes<Recurrent>(options, 0, 90);
  RecurrentPasses parts;
  parts.gradient.resize(whole.gradient.size());
  for (Index b = 0; b < 90; ++b) {
    const auto one = recurrent_passes<Recurrent>(options, b, b + 1);
    parts.y.insert(parts.y.end(), one.y.begin(), one.y.end());
    parts.dx.insert(parts.dx.end(), one.dx.begin(), one.dx.end());
    for (std::size_t i = 0; i < one.gradient.size(); ++i)
      parts.gradient[i] += one.gradient[i];
  }
  CHECK(farthest_apart(whole.y, parts.y) < 1e-12);
  CHECK(farthest_apart(whole.dx, parts.dx) < 1e-12);
  CHECK(farthest_apart(whole.gradient, parts.gradient) < 1e-9);
}

} // namespace

TEST_CASE("an lstm's first step is that of its equations", "[layers]") {
  LstmLayer<double> layer{1};
  Layout layout;
  CHECK(layer.connect({any_size, 2, 1}, "lstm0", layout) == Shape{any_size, 2, 1});
  CHECK(layout.find("lstm0.weight")->shape == Shape{1, 4});
  CHECK(layout.find("lstm0.hidden_weight")->shape == Shape{1, 4});
  CHECK(layout.find("lstm0.bias")->shape == Shape{4});
  const std::vector<double> parameters{1, 2, 3, 4, 5, 6, 7, 8, 0.1, 0.2, 0.3, 0.4}, x{0.5, -1};
  std::vector<double> y(2);
  layer.forward(parameters, x, y);
  const auto sigmoid = [](double a) { return 1 / (1 + std::exp(-a)); };
  const auto c = sigmoid(0.6) * std::tanh(1.8), h = sigmoid(2.4) * std::tanh(c);
  const auto c2 = sigmoid(-1.8 + 6 * h) * c + sigmoid(-0.9 + 5 * h) * std::tanh(-2.7 + 7 * h);
  CHECK(y[0] == Approx(h));
  CHECK(y[1] == Approx(sigmoid(-3.6 + 8 * h) * std::tanh(c2)));
}

TEST_CASE("an lstm computes what PyTorch's does, forward and backward", "[layers]") {
  LstmLayer<double> exact{4}, exact_reverse{4, {.reverse = true}};
  CHECK(test::fixture_error(exact, {any_size, 3, 3}, "lstm") < 1e-8);
  CHECK(test::fixture_error(exact_reverse, {any_size, 3, 3}, "lstm_reverse") < 1e-8);
  LstmLayer<float> layer{4};
  CHECK(test::fixture_error(layer, {any_size, 3, 3}, "lstm") < 1e-5);
}

TEST_CASE("a gru computes what PyTorch's does, forward and backward", "[layers]") {
  GruLayer<double> exact{4};
  CHECK(test::fixture_error(exact, {any_size, 3, 3}, "gru") < 1e-8);
  GruLayer<float> layer{4};
  CHECK(test::fixture_error(layer, {any_size, 3, 3}, "gru") < 1e-5);
}

TEST_CASE("an lstm's gradients are those of differences", "[layers][B50]") {
  check_recurrent_gradients([](auto options) { return LstmLayer<double>{4, options}; });
}

TEST_CASE("a gru's gradients are those of differences", "[layers][B50]") {
  check_recurrent_gradients([](auto options) { return GruLayer<double>{4, options}; });
}

TEST_CASE("an lstm or gru puts out its last state alone, and reads from right to left, if asked",
          "[layers]") {
  check_last<LstmLayer<double>>();
  check_last<GruLayer<double>>();
}

TEST_CASE("an lstm's or gru's gradient is the sum of its examples', however many there are",
          "[layers]") {
  for (const bool reverse : {false, true}) {
    check_stretches<LstmLayer<double>>({.reverse = reverse});
    check_stretches<GruLayer<double>>({.reverse = reverse});
  }
}

TEST_CASE("a smaller batch after a larger one, and a second backward pass, change no numbers",
          "[layers]") {
  GruLayer<double> fresh{3}, used{3};
  Layout layout, same;
  fresh.connect({any_size, 4, 2}, "gru0", layout);
  used.connect({any_size, 4, 2}, "gru0", same);
  const auto size = static_cast<std::size_t>(layout.size());
  const auto parameters = test::random_numbers(size, 1), x = test::random_numbers(40, 2),
             dy = test::random_numbers(24, 3);
  std::vector<double> large(60), y(24), y_used(24), dx(16), dx_used(16), gradient(size),
    gradient_used(size);
  const std::span<const double> small{x.data(), 16};
  used.forward(parameters, x, large);
  used.forward(parameters, small, y_used);
  used.backward({parameters, small, y_used, dy, dx_used, gradient_used});
  used.backward({parameters, small, y_used, dy, dx_used, gradient_used});
  fresh.forward(parameters, small, y);
  fresh.backward({parameters, small, y, dy, dx, gradient});
  CHECK(y_used == y);
  CHECK(dx_used == dx);
  CHECK(gradient_used == gradient);
}

TEST_CASE("a recurrent layer's first parameters lie in 1 / sqrt(hidden), as PyTorch's",
          "[layers]") {
  GruLayer<double> layer{16};
  Layout layout;
  layer.connect({any_size, 2, 3}, "gru0", layout);
  std::vector<double> parameters(static_cast<std::size_t>(layout.size()), 9);
  layer.initialize(parameters, {1});
  double largest = 0;
  for (auto p : parameters)
    largest = std::max(largest, std::abs(p));
  CHECK(largest <= 0.25);
  CHECK(largest > 0.24);
}

TEST_CASE("a recurrent layer refuses shapes that are no sequence, and no units", "[layers]") {
  Layout layout;
  LstmLayer<float> lstm{2};
  CHECK_THROWS_WITH(lstm.connect({any_size, 3}, "lstm0", layout),
                    Contains("lstm layer 'lstm0'") && Contains("[any, length, inputs]")
                      && Contains("[any, 3]"));
  GruLayer<float> gru{2};
  CHECK_THROWS_WITH(gru.connect({any_size, any_size, 3}, "gru0", layout),
                    Contains("gru layer 'gru0'") && Contains("[any, any, 3]"));
  CHECK_THROWS_WITH(LstmLayer<float>{0}, Contains("0 hidden units") && Contains("at least 1"));
  CHECK_THROWS_WITH(GruLayer<float>(2, {.initializer = "he"}), Contains("'he'"));
}
