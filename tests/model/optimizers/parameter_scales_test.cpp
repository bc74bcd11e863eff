#include "model/optimizers/make_optimizer.hpp"
#include "tests/support/data_files.hpp"

#include <catch2/catch.hpp>

#include <functional>
#include <limits>
#include <random>

using namespace troupe;
using Catch::Contains;

namespace {

Layout embedding_and_linear() {
  Layout layout;
  layout.add("embedding0.weight", {30, 4});
  layout.add("linear0.weight", {4, 16});
  layout.add("linear0.bias", {16});
  return layout;
}

std::vector<float> drawn(Index size, std::uint64_t seed) {
  std::vector<float> values(static_cast<std::size_t>(size));
  std::mt19937 random{static_cast<unsigned>(seed)};
  for (auto& x : values)
    x = std::normal_distribution<float>{}(random);
  return values;
}

/// Makes an optimizer with the given shares of learning rate and weight decay.
using Make = std::function<std::unique_ptr<Optimizer>(double rate, double decay, Index size)>;

template <class Options>
Make scaled(Options options) {
  return [options](double rate, double decay, Index size) {
    auto own = options;
    own.learning_rate *= rate;
    own.weight_decay *= decay;
    return make_optimizer(own, size);
  };
}

} // namespace

TEST_CASE("a parameter with its own share moves as with its own optimizer", "[optimizers][B50]") {
  const auto make = GENERATE(scaled(SgdOptions{.weight_decay = 0.1}),
                             scaled(SgdOptions{.momentum = 0.9, .weight_decay = 0.1}),
                             scaled(SgdOptions{.momentum = 0.9, .nesterov = true}),
                             scaled(AdamOptions{.weight_decay = 0.1}), scaled(AdamWOptions{}),
                             scaled(RmsPropOptions{.weight_decay = 0.1}), scaled(AdaGradOptions{}),
                             scaled(AdaDeltaOptions{.weight_decay = 0.1}));
  const auto layout = embedding_and_linear();
  const auto all = make(1, 1, layout.size());
  all->scale(scaled_stretches(
    layout, std::vector<ParameterScale>{{"embedding0.*", 0.25, 2}, {"*.bias", 1, 0}}));
  const auto embedding = make(0.25, 2, 120), weight = make(1, 1, 64), bias = make(1, 0, 16);
  auto x = drawn(layout.size(), 1);
  auto alone = x;
  for (std::uint64_t step = 0; step < 4; ++step) {
    const auto gradient = drawn(layout.size(), 2 + step);
    std::vector<float> next(x.size()); // parameters that others still read
    all->step_from(x, step % 2 == 0 ? next : x, gradient);
    if (step % 2 == 0)
      x = next;
    const std::span<float> own{alone};
    const std::span<const float> g{gradient};
    embedding->step(own.subspan(0, 120), g.subspan(0, 120));
    weight->step(own.subspan(120, 64), g.subspan(120, 64));
    bias->step(own.subspan(184, 16), g.subspan(184, 16));
  }
  CHECK(x == alone);
  CHECK(all->steps() == 4);
}

TEST_CASE("a parameter with share 0 of the learning rate stays, weight decay included",
          "[optimizers][B50]") {
  const auto layout = embedding_and_linear();
  const auto adamw = make_optimizer(AdamWOptions{}, layout.size());
  adamw->scale(scaled_stretches(layout, std::vector<ParameterScale>{{"linear0.*", 0}}));
  const auto before = drawn(layout.size(), 1);
  auto x = before;
  adamw->step(x, drawn(layout.size(), 2));
  CHECK(std::equal(x.begin() + 120, x.end(), before.begin() + 120));
  CHECK(x[0] != before[0]);
}

TEST_CASE("the last of several scales that match a parameter applies", "[optimizers]") {
  const std::vector<ParameterScale> scales{{"linear0.*", 0.5, 0.5}, {"*.weight", 0.1}};
  CHECK(scaled_stretches(embedding_and_linear(), scales)
        == std::vector<ScaledStretch>{{0, 184, 0.1, 1}, {184, 16, 0.5, 0.5}});
  CHECK(scaled_stretches(embedding_and_linear(), {}).empty());
}

TEST_CASE("scales that match nothing or are invalid are refused", "[optimizers]") {
  const auto refused = [](ParameterScale scale) {
    return test::sentence_of<std::invalid_argument>(
      [&] { scaled_stretches(embedding_and_linear(), std::vector{scale}); });
  };
  CHECK_THAT(refused({"conv*", 0.1}),
             Contains("'conv*'")
               && Contains("known are embedding0.weight, linear0.weight, linear0.bias"));
  CHECK_THAT(refused({"*.bias", -1}), Contains("learning_rate of parameters '*.bias' is -1"));
  CHECK_THAT(refused({"*.bias", 1, std::numeric_limits<double>::quiet_NaN()}),
             Contains("weight_decay"));
  CHECK_THAT(refused({"*.bias", std::numeric_limits<double>::infinity()}), Contains("inf"));
}

TEST_CASE("shares that do not cover the whole block are refused", "[optimizers]") {
  const auto adam = make_optimizer(AdamOptions{}, 10);
  CHECK_THROWS_WITH(adam->scale({{0, 4}, {5, 5}}), Contains("between 4 and 5"));
  CHECK_THROWS_WITH(adam->scale({{0, 4}}), Contains("for 4 parameters; it has 10"));
  // cure: ; give them for the whole block, in its order
  CHECK_NOTHROW(adam->scale({{0, 4}, {4, 6}}));
  adam->scale({}); // all equal again
  std::vector<float> x(10, 1.0f);
  adam->step(x, std::vector<float>(10, 1.0f));
  CHECK(x == std::vector<float>(10, x[0]));
}
