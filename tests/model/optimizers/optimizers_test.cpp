#include "model/optimizers/make_optimizer.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <functional>
#include <limits>

using namespace troupe;
using Catch::Contains;
using Numbers = std::vector<double>;

namespace {

/// A gradient that depends on the position, so that a mistake grows from step to step.
double gradient_at(double x, std::size_t i, int step) {
  return 0.7 * x + std::sin(1.0 + static_cast<double>(i) + 2.0 * step);
}

/// The update of one coordinate by the paper: (x, g, t) -> x, with its own state; t starts at 1.
using StepRule = std::function<double(double, double, int)>;

/// The largest difference between the optimizer and the rule, with one rule per coordinate, over
/// `steps` steps.
double worst_difference(Optimizer& optimizer, const std::function<StepRule()>& make_rule,
                        int steps = 6) {
  std::vector<float> x{0.5f, -1, 2, 0, 3, -0.25f, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -7};
  std::vector<float> gradient(x.size());
  Numbers expected(x.begin(), x.end());
  std::vector<StepRule> rules;
  for (std::size_t i = 0; i < x.size(); ++i)
    rules.push_back(make_rule());
  double worst = 0;
  for (int t = 1; t <= steps; ++t) {
    for (std::size_t i = 0; i < x.size(); ++i)
      gradient[i] = static_cast<float>(gradient_at(x[i], i, t));
    optimizer.step(x, gradient);
    for (std::size_t i = 0; i < x.size(); ++i) {
      expected[i] = rules[i](expected[i], gradient_at(expected[i], i, t), t);
      worst = std::max(worst, std::abs(expected[i] - x[i]));
    }
  }
  return worst;
}

std::vector<std::unique_ptr<Optimizer>> one_of_each(Index size) {
  std::vector<std::unique_ptr<Optimizer>> all;
  all.push_back(make_optimizer(SgdOptions{}, size));
  all.push_back(make_optimizer(SgdOptions{.momentum = 0.9, .nesterov = true}, size));
  all.push_back(make_optimizer(AdamOptions{}, size));
  all.push_back(make_optimizer(AdamWOptions{}, size));
  all.push_back(make_optimizer(RmsPropOptions{}, size));
  all.push_back(make_optimizer(AdaGradOptions{}, size));
  all.push_back(make_optimizer(AdaDeltaOptions{}, size));
  return all;
}

std::vector<std::string> slot_names(const Optimizer& optimizer) {
  std::vector<std::string> names;
  for (const auto& slot : optimizer.slots())
    names.push_back(slot.name);
  return names;
}

constexpr double tolerance = 3e-6;

} // namespace

TEST_CASE("SGD moves down the gradient", "[optimizers][B50]") {
  auto sgd = make_optimizer(SgdOptions{.learning_rate = 0.1}, 17);
  const auto rule = [] { return [](double x, double g, int) { return x - 0.1 * g; }; };
  CHECK(worst_difference(*sgd, rule) < tolerance);
}

TEST_CASE("SGD with momentum accumulates its gradients, from the first one on",
          "[optimizers][B50]") {
  auto sgd = make_optimizer(SgdOptions{.learning_rate = 0.05, .momentum = 0.8}, 17);
  const auto rule = [] {
    return [m = 0.0](double x, double g, int t) mutable {
      m = t == 1 ? g : 0.8 * m + g;
      return x - 0.05 * m;
    };
  };
  CHECK(worst_difference(*sgd, rule) < tolerance);
}

TEST_CASE("Nesterov's momentum looks one step ahead", "[optimizers][B50]") {
  // Sutskever's form, v' = mu v - alpha g(x + mu v), x' = x + v', in terms of y = x + mu v: y' = y
  // - mu v + (1 + mu) v'.
  auto sgd
    = make_optimizer(SgdOptions{.learning_rate = 0.05, .momentum = 0.8, .nesterov = true}, 17);
  const auto rule = [] {
    return [v = 0.0](double y, double g, int) mutable {
      const auto next = 0.8 * v - 0.05 * g;
      const auto moved = y - 0.8 * v + 1.8 * next;
      v = next;
      return moved;
    };
  };
  CHECK(worst_difference(*sgd, rule) < tolerance);
}

TEST_CASE("weight decay of SGD pulls towards 0 through the gradient", "[optimizers][B50]") {
  auto sgd
    = make_optimizer(SgdOptions{.learning_rate = 0.05, .momentum = 0.5, .weight_decay = 0.1}, 17);
  const auto rule = [] {
    return [m = 0.0](double x, double g, int) mutable {
      m = 0.5 * m + g + 0.1 * x;
      return x - 0.05 * m;
    };
  };
  CHECK(worst_difference(*sgd, rule) < tolerance);
}

TEST_CASE("Adam follows algorithm 1 of its paper", "[optimizers][B50]") {
  auto adam = make_optimizer(AdamOptions{.learning_rate = 0.02, .beta1 = 0.8, .beta2 = 0.95}, 17);
  CHECK(adam->name() == "adam");
  const auto rule = [] {
    return [m = 0.0, v = 0.0](double x, double g, int t) mutable {
      m = 0.8 * m + 0.2 * g;
      v = 0.95 * v + 0.05 * g * g;
      const auto m_hat = m / (1 - std::pow(0.8, t)), v_hat = v / (1 - std::pow(0.95, t));
      return x - 0.02 * m_hat / (std::sqrt(v_hat) + 1e-8);
    };
  };
  CHECK(worst_difference(*adam, rule) < tolerance);
}

TEST_CASE("Adam's first step is the learning rate, whatever the gradient", "[optimizers][B50]") {
  auto adam = make_optimizer(AdamOptions{.learning_rate = 0.002}, 3);
  std::vector<float> x(3);
  adam->step(x, std::vector<float>{100, -0.01f, 3});
  CHECK(x[0] == Approx(-0.002));
  CHECK(x[1] == Approx(0.002));
  CHECK(x[2] == Approx(-0.002));
}

TEST_CASE("weight decay of Adam acts through the gradient", "[optimizers][B50]") {
  auto adam = make_optimizer(AdamOptions{.learning_rate = 0.02, .weight_decay = 0.1}, 17);
  const auto rule = [] {
    return [m = 0.0, v = 0.0](double x, double g, int t) mutable {
      g += 0.1 * x;
      m = 0.9 * m + 0.1 * g;
      v = 0.999 * v + 0.001 * g * g;
      const auto m_hat = m / (1 - std::pow(0.9, t)), v_hat = v / (1 - std::pow(0.999, t));
      return x - 0.02 * m_hat / (std::sqrt(v_hat) + 1e-8);
    };
  };
  CHECK(worst_difference(*adam, rule) < 1e-5);
}

TEST_CASE("AdamW shrinks the parameters separately from Adam's step", "[optimizers][B50]") {
  auto adam = make_optimizer(AdamWOptions{.learning_rate = 0.02, .weight_decay = 0.1}, 17);
  CHECK(adam->name() == "adamw");
  const auto rule = [] {
    return [m = 0.0, v = 0.0](double x, double g, int t) mutable {
      m = 0.9 * m + 0.1 * g;
      v = 0.999 * v + 0.001 * g * g;
      const auto m_hat = m / (1 - std::pow(0.9, t)), v_hat = v / (1 - std::pow(0.999, t));
      return x - 0.02 * (m_hat / (std::sqrt(v_hat) + 1e-8) + 0.1 * x);
    };
  };
  CHECK(worst_difference(*adam, rule) < 1e-5);
}

TEST_CASE("RMSProp divides by the root mean square", "[optimizers][B50]") {
  auto rmsprop = make_optimizer(
    RmsPropOptions{.learning_rate = 0.03, .decay = 0.9, .epsilon = 1e-4, .weight_decay = 0.2}, 17);
  const auto rule = [] {
    return [v = 0.0](double x, double g, int) mutable {
      g += 0.2 * x;
      v = 0.9 * v + 0.1 * g * g;
      return x - 0.03 * g / (std::sqrt(v) + 1e-4);
    };
  };
  CHECK(worst_difference(*rmsprop, rule) < tolerance);
}

TEST_CASE("AdaGrad divides by the root of all squares so far", "[optimizers][B50]") {
  auto adagrad = make_optimizer(AdaGradOptions{.learning_rate = 0.3}, 17);
  const auto rule = [] {
    return [s = 0.0](double x, double g, int) mutable {
      s += g * g;
      return x - 0.3 * g / (std::sqrt(s) + 1e-10);
    };
  };
  CHECK(worst_difference(*adagrad, rule) < tolerance);
}

TEST_CASE("weight decay of AdaGrad acts through the gradient", "[optimizers][B50]") {
  auto adagrad = make_optimizer(AdaGradOptions{.learning_rate = 0.3, .weight_decay = 0.2}, 17);
  const auto rule = [] {
    return [s = 0.0](double x, double g, int) mutable {
      g += 0.2 * x;
      s += g * g;
      return x - 0.3 * g / (std::sqrt(s) + 1e-10);
    };
  };
  CHECK(worst_difference(*adagrad, rule) < tolerance);
}

TEST_CASE("AdaDelta follows algorithm 1 of its paper", "[optimizers][B50]") {
  auto adadelta = make_optimizer(AdaDeltaOptions{.epsilon = 1e-3}, 17);
  const auto rule = [] {
    return [v = 0.0, u = 0.0](double x, double g, int) mutable {
      v = 0.95 * v + 0.05 * g * g;
      const auto step = -std::sqrt(u + 1e-3) / std::sqrt(v + 1e-3) * g;
      u = 0.95 * u + 0.05 * step * step;
      return x + step;
    };
  };
  CHECK(worst_difference(*adadelta, rule) < tolerance);
}

TEST_CASE("weight decay of AdaDelta acts through the gradient", "[optimizers][B50]") {
  auto adadelta = make_optimizer(AdaDeltaOptions{.epsilon = 1e-3, .weight_decay = 0.2}, 17);
  const auto rule = [] {
    return [v = 0.0, u = 0.0](double x, double g, int) mutable {
      g += 0.2 * x;
      v = 0.95 * v + 0.05 * g * g;
      const auto step = -std::sqrt(u + 1e-3) / std::sqrt(v + 1e-3) * g;
      u = 0.95 * u + 0.05 * step * step;
      return x + step;
    };
  };
  CHECK(worst_difference(*adadelta, rule) < tolerance);
}

TEST_CASE("each optimizer keeps the slots that its header names", "[optimizers][L26]") {
  using Names = std::vector<std::string>;
  const auto all = one_of_each(4);
  const std::vector<Names> expected{{},
                                    {"momentum"},
                                    {"mean", "variance"},
                                    {"mean", "variance"},
                                    {"mean_square"},
                                    {"sum_of_squares"},
                                    {"mean_square", "mean_square_step"}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    INFO(all[i]->name());
    CHECK(slot_names(*all[i]) == expected[i]);
    for (const auto& slot : all[i]->slots())
      CHECK(slot.values == Block{4});
  }
}

TEST_CASE("an optimizer restored from its slots continues as if never stopped",
          "[optimizers][L26]") {
  auto originals = one_of_each(3), copies = one_of_each(3);
  for (std::size_t k = 0; k < originals.size(); ++k) {
    INFO(originals[k]->name());
    std::vector<float> x{1, -2, 3}, gradient(3);
    const auto take_steps = [&](Optimizer& optimizer, int from, int to) {
      for (int t = from; t < to; ++t) {
        for (std::size_t i = 0; i < x.size(); ++i)
          gradient[i] = static_cast<float>(gradient_at(x[i], i, t));
        optimizer.step(x, gradient);
      }
    };
    take_steps(*originals[k], 0, 3);
    const auto saved = x;
    copies[k]->restore(originals[k]->steps(), originals[k]->slots());
    take_steps(*originals[k], 3, 6);
    const auto expected = x;
    x = saved;
    take_steps(*copies[k], 3, 6);
    CHECK(x == expected);
    CHECK(copies[k]->steps() == 6);
    for (std::size_t s = 0; s < copies[k]->slots().size(); ++s)
      CHECK(copies[k]->slots()[s].values == originals[k]->slots()[s].values);
  }
}

TEST_CASE("slots that are read elsewhere do not change during a step", "[optimizers][L26]") {
  auto sgd = make_optimizer(SgdOptions{.momentum = 0.9}, 2);
  std::vector<float> x(2);
  sgd->step(x, std::vector<float>{1, 1});
  const auto snapshot = sgd->slots()[0].values;
  sgd->step(x, std::vector<float>{1, 1});
  CHECK(snapshot == Block::copy_of(std::vector<float>{1, 1}));
  CHECK(sgd->slots()[0].values.view()[0] == Approx(1.9f));
}

TEST_CASE("a saved state of another optimizer or size is refused, and changes nothing",
          "[optimizers]") {
  auto adam = make_optimizer(AdamOptions{}, 4);
  const auto sgd = make_optimizer(SgdOptions{.momentum = 0.9}, 4);
  const auto smaller = make_optimizer(AdamOptions{}, 3);
  const auto adadelta = make_optimizer(AdaDeltaOptions{}, 4);
  CHECK_THROWS_WITH(adam->restore(1, sgd->slots()), Contains("2 slots") && Contains("1"));
  CHECK_THROWS_WITH(adam->restore(1, smaller->slots()), Contains("4") && Contains("3"));
  CHECK_THROWS_WITH(adam->restore(1, adadelta->slots()), Contains("mean_square"));
  CHECK(adam->steps() == 0);
  CHECK(slot_names(*adam) == std::vector<std::string>{"mean", "variance"});
}

TEST_CASE("the learning rate may change between two steps", "[optimizers]") {
  for (const auto& optimizer : one_of_each(1)) {
    INFO(optimizer->name());
    optimizer->set_learning_rate(0.25f);
    CHECK(optimizer->learning_rate() == 0.25f);
    optimizer->set_learning_rate(0);
    std::vector<float> x{2};
    optimizer->step(x, std::vector<float>{1});
    CHECK(x[0] == 2);
    CHECK_THROWS_AS(optimizer->set_learning_rate(-1), std::invalid_argument);
    CHECK_THROWS_AS(optimizer->set_learning_rate(std::nanf("")), std::invalid_argument);
    CHECK(optimizer->learning_rate() == 0);
  }
}

TEST_CASE("invalid options are refused with their name and value", "[optimizers]") {
  const auto nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_WITH(make_optimizer(SgdOptions{.learning_rate = -0.1}, 1),
                    Contains("learning_rate of sgd is -0.1"));
  CHECK_THROWS_WITH(make_optimizer(SgdOptions{.momentum = 1}, 1), Contains("momentum of sgd is 1"));
  CHECK_THROWS_WITH(make_optimizer(SgdOptions{.nesterov = true}, 1), Contains("nesterov"));
  CHECK_THROWS_WITH(make_optimizer(AdamOptions{.beta1 = nan}, 1), Contains("beta1 of adam"));
  CHECK_THROWS_WITH(make_optimizer(AdamWOptions{.beta2 = 1}, 1), Contains("beta2 of adamw"));
  CHECK_THROWS_WITH(make_optimizer(AdamOptions{.epsilon = -1}, 1), Contains("epsilon of adam"));
  CHECK_THROWS_WITH(make_optimizer(RmsPropOptions{.decay = -0.5}, 1), Contains("decay of rmsprop"));
  CHECK_THROWS_WITH(make_optimizer(AdaGradOptions{.learning_rate = nan}, 1), Contains("adagrad"));
  CHECK_THROWS_WITH(make_optimizer(AdaDeltaOptions{.weight_decay = -1}, 1),
                    Contains("weight_decay of adadelta"));
}
