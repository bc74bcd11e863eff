#include "model/optimizers/make_optimizer.hpp"

#include <catch2/catch.hpp>

#include <limits>

using namespace troupe;
using Catch::Contains;
using Settings = std::map<std::string, double>;

namespace {

std::vector<std::unique_ptr<Optimizer>> optimizers() {
  std::vector<std::unique_ptr<Optimizer>> all;
  all.push_back(make_optimizer(SgdOptions{}, 3));
  all.push_back(make_optimizer(SgdOptions{.momentum = 0.9, .nesterov = true}, 3));
  all.push_back(make_optimizer(AdamOptions{}, 3));
  all.push_back(make_optimizer(AdamWOptions{}, 3));
  all.push_back(make_optimizer(RmsPropOptions{}, 3));
  all.push_back(make_optimizer(AdaGradOptions{}, 3));
  all.push_back(make_optimizer(AdaDeltaOptions{}, 3));
  return all;
}

/// The parameters after some steps.
std::vector<float> trained(Optimizer& optimizer, int steps = 4) {
  std::vector<float> x{1, -2, 3}, gradient(3);
  for (int t = 0; t < steps; ++t) {
    for (std::size_t i = 0; i < x.size(); ++i)
      gradient[i] = 0.5f * x[i] + static_cast<float>(t) - 1.0f;
    optimizer.step(x, gradient);
  }
  return x;
}

} // namespace

TEST_CASE("the settings of an optimizer are the numbers among its options",
          "[optimizers][B38][B50]") {
  CHECK(make_optimizer(SgdOptions{.learning_rate = 0.5, .weight_decay = 0.25}, 1)->settings()
        == Settings{{"learning_rate", 0.5}, {"weight_decay", 0.25}});
  CHECK(make_optimizer(SgdOptions{.momentum = 0.75}, 1)->settings().at("momentum") == 0.75);
  CHECK(make_optimizer(AdamWOptions{}, 1)->settings()
        == Settings{{"learning_rate", 0.001},
                    {"beta1", 0.9},
                    {"beta2", 0.999},
                    {"epsilon", 1e-8},
                    {"weight_decay", 0.01}});
  CHECK(make_optimizer(AdaDeltaOptions{}, 1)->settings().at("decay") == 0.95);
}

TEST_CASE("an optimizer with changed settings steps like one that was made with them",
          "[optimizers][B38]") {
  const auto check = [](auto changed, auto options) {
    const auto expected = make_optimizer(options, 3);
    for (const auto& [name, value] : expected->settings())
      changed->set(name, value);
    CHECK(changed->settings() == expected->settings());
    INFO(changed->name());
    CHECK(trained(*changed) == trained(*expected));
  };
  check(make_optimizer(SgdOptions{.momentum = 0.9}, 3),
        SgdOptions{.learning_rate = 0.1, .momentum = 0.5, .weight_decay = 0.125});
  check(make_optimizer(AdamOptions{}, 3), AdamOptions{0.01, 0.5, 0.75, 1e-4, 0.125});
  check(make_optimizer(AdamWOptions{}, 3), AdamWOptions{0.01, 0.5, 0.75, 1e-4, 0.125});
  check(make_optimizer(RmsPropOptions{}, 3), RmsPropOptions{0.02, 0.5, 1e-4, 0.125});
  check(make_optimizer(AdaGradOptions{}, 3), AdaGradOptions{0.02, 1e-4, 0.125});
  check(make_optimizer(AdaDeltaOptions{}, 3), AdaDeltaOptions{0.5, 0.5, 1e-4, 0.125});
}

TEST_CASE("each setting refuses what the constructor refuses, and is then unchanged",
          "[optimizers][B38]") {
  const auto nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& optimizer : optimizers()) {
    const auto before = optimizer->settings();
    for (const auto& [name, value] : before) {
      INFO(optimizer->name() << " " << name);
      for (const auto bad : {-0.1, nan, 1e300, std::numeric_limits<double>::infinity()})
        CHECK_THROWS_WITH(optimizer->set(name, bad), Contains(name + " of " + optimizer->name()));
    }
    CHECK(optimizer->settings() == before);
  }
  CHECK_THROWS_WITH(make_optimizer(AdamOptions{}, 1)->set("beta1", 1), Contains("less than 1"));
  CHECK_THROWS_WITH(
    make_optimizer(SgdOptions{.momentum = 0.9, .nesterov = true}, 1)->set("momentum", 0),
    Contains("nesterov"));
}

TEST_CASE("an unknown setting is refused with the list of known ones", "[optimizers][B38]") {
  CHECK_THROWS_WITH(make_optimizer(RmsPropOptions{}, 1)->set("momentum", 0.5),
                    Contains("rmsprop") && Contains("'momentum'")
                      && Contains("decay, epsilon, learning_rate, weight_decay"));
  CHECK_THROWS_WITH(make_optimizer(SgdOptions{}, 1)->set("momentum", 0.5), // it has no running sum
                    Contains("'momentum'"));
  CHECK_THROWS_WITH(make_optimizer(SgdOptions{}, 1)->set("", 0.5), Contains("''"));
}

TEST_CASE("a momentum may be set to 0 and back", "[optimizers][B38]") {
  const auto sgd = make_optimizer(SgdOptions{.momentum = 0.9}, 3);
  sgd->set("momentum", 0);
  CHECK(trained(*sgd) == trained(*make_optimizer(SgdOptions{}, 3)));
  CHECK(sgd->slots().size() == 1);
  sgd->set("momentum", 0.5);
  CHECK(sgd->settings().at("momentum") == 0.5);
}
