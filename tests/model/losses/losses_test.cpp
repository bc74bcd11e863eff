#include "model/losses/loss.hpp"
#include "model/losses/make_loss.hpp"
#include "tests/support/gradient_check.hpp"

#include <catch2/catch.hpp>

#include <limits>
#include <vector>

using namespace troupe;
using Catch::Contains;
using Numbers = std::vector<double>;
using Values = std::vector<std::pair<std::string, double>>;

namespace {

BasicBatchField<double> numbers(std::initializer_list<double> values) {
  return {.values = values, .classes = {}};
}

BasicBatchField<double> classes(std::initializer_list<std::int32_t> values) {
  return {.values = {}, .classes = values};
}

double loss_of(const LossOptions& options, const Numbers& prediction, Index width,
               const BasicBatchField<double>& target) {
  Numbers gradient(prediction.size());
  return make_loss<double>(options)->loss_and_gradient({prediction, width, target}, gradient);
}

double worst_loss_gradient(const LossOptions& options, Numbers prediction, Index width,
                           const BasicBatchField<double>& target) {
  Numbers gradient(prediction.size(), 99);
  make_loss<double>(options)->loss_and_gradient({prediction, width, target}, gradient);
  return test::gradient_error(prediction, gradient,
                              [&] { return loss_of(options, prediction, width, target); });
}

Values evaluate(const std::string& name, const Numbers& prediction, Index width,
                const BasicBatchField<double>& target) {
  Metrics metrics;
  Numbers scratch(prediction.size());
  make_loss<double>({name})->evaluate({prediction, width, target}, scratch, metrics);
  return metrics.values();
}

} // namespace

TEST_CASE("softmax cross-entropy of equal predictions is the logarithm of the number of classes",
          "[losses]") {
  CHECK(loss_of({"softmax_cross_entropy"}, Numbers(20, 0.3), 10, classes({0, 9}))
        == Approx(std::log(10)));
}

TEST_CASE("softmax cross-entropy equals its formula", "[losses]") {
  const auto row = [](double a, double b, double c, double right) {
    return std::log(std::exp(a) + std::exp(b) + std::exp(c)) - right;
  };
  CHECK(loss_of({"softmax_cross_entropy"}, {1, 2, 3, -1, 0.5, 0}, 3, classes({2, 0}))
        == Approx((row(1, 2, 3, 3) + row(-1, 0.5, 0, -1)) / 2));
}

TEST_CASE("the gradients of losses equal finite differences", "[losses][B50]") {
  const Numbers z{0.1, -0.7, 1.3, 2.0, -1.1, 0.4};
  CHECK(worst_loss_gradient({"softmax_cross_entropy"}, z, 3, classes({2, 0})) < 1e-6);
  CHECK(worst_loss_gradient({"softmax_cross_entropy"}, z, 2, classes({1, 0, 1})) < 1e-6);
  CHECK(worst_loss_gradient({"mean_squared_error"}, z, 2, numbers({1, 2, -1, 0, 3, 0.5})) < 1e-6);
  CHECK(worst_loss_gradient({"binary_cross_entropy"}, z, 2, numbers({1, 0, 1, 0.25, 0, 1})) < 1e-6);
}

TEST_CASE("masked rows change neither the loss nor the metrics", "[losses]") {
  const Numbers all{1, 2, 3, 9, 9, -9, -1, 0.5, 0}, some{1, 2, 3, -1, 0.5, 0};
  CHECK(loss_of({"masked_cross_entropy"}, all, 3, classes({2, -1, 0}))
        == Approx(loss_of({"softmax_cross_entropy"}, some, 3, classes({2, 0}))));
  CHECK(evaluate("masked_cross_entropy", all, 3, classes({2, -1, 0}))
        == evaluate("softmax_cross_entropy", some, 3, classes({2, 0})));
}

TEST_CASE("the gradient of masked rows is 0, and that of the others equals finite differences",
          "[losses]") {
  const Numbers z{0.1, -0.7, 1.3, 2.0, -1.1, 0.4};
  CHECK(worst_loss_gradient({"masked_cross_entropy"}, z, 2, classes({1, -1, 0})) < 1e-6);
  Numbers gradient(6, 99);
  const auto target = classes({1, -1, 0});
  make_loss<double>({"masked_cross_entropy"})->loss_and_gradient({z, 2, target}, gradient);
  CHECK(gradient[2] == 0);
  CHECK(gradient[3] == 0);
}

TEST_CASE("a batch in which every row is masked has neither loss nor gradient", "[losses][T26]") {
  const Numbers z{1, 2, 3, 4};
  Numbers gradient(4, 99);
  const auto target = classes({-1, -1});
  CHECK(make_loss<double>({"masked_cross_entropy"})->loss_and_gradient({z, 2, target}, gradient)
        == 0);
  CHECK(gradient == Numbers(4, 0));
  for (const auto& [name, value] : evaluate("masked_cross_entropy", z, 2, target))
    CHECK(value == 0);
}

TEST_CASE("label smoothing spreads a share of each target over all classes", "[losses]") {
  const auto smooth = LossOptions{"softmax_cross_entropy", 0.3};
  const Numbers z{1, 2, 3};
  const auto norm = std::log(std::exp(1) + std::exp(2) + std::exp(3));
  CHECK(loss_of(smooth, z, 3, classes({2})) == Approx(norm - 0.7 * 3 - 0.1 * (1 + 2 + 3)));
  CHECK(worst_loss_gradient(smooth, {0.1, -0.7, 1.3, 2.0, -1.1, 0.4}, 3, classes({2, 0})) < 1e-6);
  CHECK(worst_loss_gradient({"masked_cross_entropy", 0.3}, {0.1, -0.7, 1.3, 2.0, -1.1, 0.4}, 3,
                            classes({2, -1}))
        < 1e-6);
}

TEST_CASE("an invalid label smoothing is refused", "[losses]") {
  CHECK_THROWS_WITH(make_loss<float>({"softmax_cross_entropy", 1}), Contains("less than 1"));
  CHECK_THROWS_WITH(make_loss<float>({"mean_squared_error", 0.1}),
                    Contains("mean_squared_error does not have"));
}

TEST_CASE("losses stay finite for enormous predictions", "[losses]") {
  CHECK(loss_of({"softmax_cross_entropy"}, {1e4, -1e4}, 2, classes({0}))
        == Approx(0).margin(1e-12));
  CHECK(loss_of({"softmax_cross_entropy"}, {1e4, -1e4}, 2, classes({1})) == Approx(2e4));
  CHECK(loss_of({"binary_cross_entropy"}, {1e4}, 1, numbers({0})) == Approx(1e4));
  CHECK(loss_of({"binary_cross_entropy"}, {-1e4}, 1, numbers({0})) == Approx(0).margin(1e-12));
  const std::vector<float> prediction{200, -200};
  std::vector<float> gradient(2);
  const BasicBatchField<float> target{.values = {0, 1}, .classes = {}};
  CHECK(
    make_loss<float>({"binary_cross_entropy"})->loss_and_gradient({prediction, 1, target}, gradient)
    == Approx(200));
  CHECK(gradient == std::vector<float>{0.5f, -0.5f});
}

TEST_CASE("a prediction of NaN gives a loss of NaN", "[losses]") {
  const auto nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(std::isnan(loss_of({"softmax_cross_entropy"}, {1, nan, 0, 1}, 2, classes({0, 1}))));
  CHECK(std::isnan(loss_of({"mean_squared_error"}, {nan}, 1, numbers({1}))));
  CHECK(std::isnan(loss_of({"binary_cross_entropy"}, {nan}, 1, numbers({1}))));
  CHECK(std::isnan(loss_of({"hinge_embedding"}, {nan}, 1, numbers({-1}))));
  for (const auto* loss : {"binary_cross_entropy", "multi_label_soft_margin"})
    CHECK(evaluate(loss, {nan}, 1, numbers({0})).at(1).second == 0); // the accuracy
  CHECK(evaluate("multi_label_margin", {nan, 1}, 2, numbers({1, 0})).at(1).second == 0);
}

TEST_CASE("binary cross-entropy equals its formula, over more than one piece", "[losses]") {
  Numbers z(3000);
  BasicBatchField<double> target;
  double expected = 0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    z[i] = static_cast<double>(i % 17) / 4 - 2;
    target.values.push_back(i % 3 == 0 ? 1 : 0);
    const auto s = 1 / (1 + std::exp(-z[i]));
    expected -= i % 3 == 0 ? std::log(s) : std::log(1 - s);
  }
  CHECK(loss_of({"binary_cross_entropy"}, z, 1, target) == Approx(expected / 3000));
}

TEST_CASE("a class outside the prediction is refused with its row", "[losses]") {
  const Numbers z(6);
  CHECK_THROWS_WITH(loss_of({"softmax_cross_entropy"}, z, 3, classes({1, 3})),
                    Contains("row 1 is 3") && Contains("0 to 2"));
  CHECK_THROWS_WITH(loss_of({"softmax_cross_entropy"}, z, 3, classes({-1, 0})),
                    Contains("row 0 is -1") && Contains("masked_cross_entropy"));
}

TEST_CASE("targets of another length than the prediction are refused", "[losses]") {
  CHECK_THROWS_AS(loss_of({"softmax_cross_entropy"}, Numbers(6), 3, classes({1})),
                  std::invalid_argument);
  CHECK_THROWS_AS(loss_of({"mean_squared_error"}, Numbers(6), 3, numbers({1})),
                  std::invalid_argument);
  CHECK_THROWS_AS(loss_of({"binary_cross_entropy"}, Numbers(6), 3, numbers({1})),
                  std::invalid_argument);
}

TEST_CASE("an evaluation of classes gives loss and accuracy", "[losses]") {
  const auto values = evaluate("softmax_cross_entropy", {0, 1, 0, 3, 1, 2}, 2, classes({1, 1, 0}));
  REQUIRE(values.size() == 2);
  CHECK(values[0].first == "loss");
  CHECK(
    values[0].second
    == Approx((std::log(1 + std::exp(-1)) + std::log(1 + std::exp(-3)) + std::log(1 + std::exp(1)))
              / 3));
  CHECK(values[1] == std::pair<std::string, double>{"accuracy", 2.0 / 3});
}

TEST_CASE("an evaluation of numbers gives loss, r2, mse and mae", "[losses]") {
  const auto values = evaluate("mean_squared_error", {1, 2, 5}, 1, numbers({1, 3, 3}));
  REQUIRE(values.size() == 4);
  CHECK(values[0].second == Approx(5.0 / 3));
  CHECK(values[1].first == "r2");
  CHECK(values[1].second == Approx(1 - 5 / (8.0 / 3)));
  CHECK(values[2].first == "mse");
  CHECK(values[2].second == Approx(5.0 / 3));
  CHECK(values[3].first == "mae");
  CHECK(values[3].second == Approx(1));
}

TEST_CASE("an evaluation of several targets has the mean of their r2", "[losses][T26]") {
  const auto values
    = evaluate("mean_squared_error", {0, 1000, 0, 1000}, 2, numbers({-1, 999, 1, 1001}));
  CHECK(values.at(1) == std::pair<std::string, double>{"r2", 0});
}

TEST_CASE("an evaluation of logits counts the correct side of 0", "[losses]") {
  const auto values = evaluate("binary_cross_entropy", {0.1, -3, 2, -1}, 1, numbers({1, 0, 0, 0}));
  REQUIRE(values.size() == 2);
  CHECK(values[1] == std::pair<std::string, double>{"accuracy", 0.75});
}

TEST_CASE("evaluating an empty batch gives no NaN", "[losses][T26]") {
  for (const auto& [name, value] : evaluate("softmax_cross_entropy", {}, 3, classes({})))
    CHECK(value == 0);
  for (const auto& [name, value] : evaluate("mean_squared_error", {}, 3, numbers({})))
    CHECK(value == 0);
}

TEST_CASE("an error about an unknown loss lists the known ones", "[losses]") {
  CHECK_THROWS_WITH(make_loss<float>({"mse"}), Contains("mse") && Contains("mean_squared_error"));
}

TEST_CASE("elementwise losses equal their formulas", "[losses]") {
  const auto of = [](const std::string& name, double p, double y) {
    return loss_of({name}, {p, p}, 1, numbers({y, y}));
  };
  CHECK(of("mean_absolute_error", 1, -2) == 3);
  CHECK(of("smooth_l1", 1, 0.5) == 0.125);
  CHECK(of("smooth_l1", -1, 2) == 2.5);
  CHECK(of("poisson", 0.5, 3) == Approx(std::exp(0.5) - 1.5));
  CHECK(of("kl_divergence", -2, 0.25) == Approx(0.25 * (std::log(0.25) + 2)));
  CHECK(of("kl_divergence", -2, 0) == 0);
  CHECK(of("soft_margin", 0.7, -1) == Approx(std::log(1 + std::exp(0.7))));
  CHECK(of("soft_margin", -1e4, 1) == Approx(1e4));
  CHECK(of("hinge_embedding", 0.3, 1) == 0.3);
  CHECK(of("hinge_embedding", 0.3, -1) == 0.7);
  CHECK(of("hinge_embedding", 1.3, -1) == 0);
}

TEST_CASE("the gradients of elementwise losses equal finite differences", "[losses]") {
  const Numbers p{0.1, -0.7, 1.3, 2.0, -1.1, 0.4};
  const auto some = numbers({1, 0, 0.25, 0.5, 0, 1}), sides = numbers({1, -1, 1, -1, -1, 1});
  CHECK(worst_loss_gradient({"mean_absolute_error"}, p, 2, some) < 1e-6);
  CHECK(worst_loss_gradient({"smooth_l1"}, p, 2, some) < 1e-6);
  CHECK(worst_loss_gradient({"poisson"}, p, 2, numbers({1, 0, 3, 2, 7, 1})) < 1e-6);
  CHECK(worst_loss_gradient({"kl_divergence"}, p, 2, some) < 1e-6);
  CHECK(worst_loss_gradient({"soft_margin"}, p, 2, sides) < 1e-6);
  CHECK(worst_loss_gradient({"hinge_embedding"}, p, 2, sides) < 1e-6);
  CHECK(worst_loss_gradient({"masked_binary_cross_entropy"}, p, 2, numbers({1, 0, -1, 1, -1, 0}))
        < 1e-6);
}

TEST_CASE("masked numbers change neither the binary cross-entropy nor its accuracy", "[losses]") {
  CHECK(loss_of({"masked_binary_cross_entropy"}, {1, 50, -2}, 1, numbers({1, -1, 1}))
        == Approx(loss_of({"binary_cross_entropy"}, {1, -2}, 1, numbers({1, 1}))));
  const auto values = evaluate("masked_binary_cross_entropy", {1, 50, -2}, 1, numbers({1, -1, 1}));
  CHECK(values.at(1) == std::pair<std::string, double>{"accuracy", 0.5});
  CHECK(loss_of({"masked_binary_cross_entropy"}, {1, 2}, 1, numbers({-1, -1})) == 0);
}

TEST_CASE("a target that a loss does not accept is refused with its place", "[losses]") {
  CHECK_THROWS_WITH(loss_of({"soft_margin"}, {1, 1}, 1, numbers({1, 0})),
                    Contains("target 1 is 0") && Contains("-1 or 1"));
  CHECK_THROWS_WITH(loss_of({"poisson"}, {1}, 1, numbers({-1})), Contains("0 or more"));
  CHECK_THROWS_WITH(loss_of({"kl_divergence"}, {1}, 1, numbers({2})), Contains("0 to 1"));
  for (const auto bad : {-1.34, 1.01})
    CHECK_THROWS_WITH(loss_of({"binary_cross_entropy"}, {1, 1}, 1, numbers({1, bad})),
                      Contains("target 1 is " + std::to_string(bad)) && Contains("0 to 1")
                        && Contains("problem.standardize=false"));
  CHECK(std::isnan(loss_of({"binary_cross_entropy"}, {1}, 1, numbers({std::nan("")}))));
}

TEST_CASE("rowwise losses equal their formulas and their gradients finite differences",
          "[losses]") {
  const Numbers z{0.1, -0.7, 1.3, 2.0, -1.1, 0.4};
  const auto target = classes({2, 1});
  CHECK(loss_of({"negative_log_likelihood"}, z, 3, target) == Approx((-1.3 + 1.1) / 2));
  const auto first = std::max(0.0, 1 - 1.3 + 0.1) + std::max(0.0, 1 - 1.3 - 0.7);
  const auto second = (1 + 1.1 + 2.0) + (1 + 1.1 + 0.4);
  CHECK(loss_of({"multi_margin"}, z, 3, target) == Approx((first + second) / 6));
  CHECK(worst_loss_gradient({"negative_log_likelihood"}, z, 3, target) < 1e-6);
  CHECK(worst_loss_gradient({"multi_margin"}, z, 3, target) < 1e-6);
  CHECK_THROWS_WITH(loss_of({"multi_margin"}, z, 3, classes({2, 3})), Contains("row 1 is 3"));
}

TEST_CASE("every loss in the list is made under its own name", "[losses]") {
  for (const auto& name : loss_names())
    CHECK(make_loss<float>({name})->name() == name);
}

TEST_CASE("a loss for several classes per row counts the pairs in the wrong order", "[losses]") {
  const Numbers z{0.1, -0.7, 1.3, 2.0, -1.1, 0.4};
  const auto target = numbers({1, 0, 1, 0, 1, 0});
  const auto first = std::max(0.0, 1 - 0.1 - 0.7) + std::max(0.0, 1 - 1.3 - 0.7);
  CHECK(loss_of({"multi_label_margin"}, z, 3, target)
        == Approx((first + (1 + 1.1 + 2.0) + (1 + 1.1 + 0.4)) / 6));
  CHECK(worst_loss_gradient({"multi_label_margin"}, z, 3, target) < 1e-6);
  CHECK(worst_loss_gradient({"multi_label_soft_margin"}, z, 3, target) < 1e-6);
  CHECK(evaluate("multi_label_margin", z, 3, target)[1]
        == std::pair<std::string, double>{"accuracy", 0.5});
  CHECK(loss_of({"multi_label_margin"}, {}, 3, numbers({})) == 0);
  CHECK_THROWS_WITH(loss_of({"multi_label_margin"}, z, 3, numbers({0, 0, 0, 0, 0, 0.5})),
                    Contains("target 5 is 0.5"));
  CHECK_THROWS_WITH(loss_of({"multi_label_margin"}, z, 3, numbers({0})), Contains("with 1"));
}

TEST_CASE("margin_ranking is refused with an equivalent", "[losses]") {
  CHECK_THROWS_WITH(make_loss<float>({"margin_ranking"}),
                    Contains("two predictions") && Contains("use soft_margin"));
}

TEST_CASE("errors of a standardised target are reported in its own unit", "[losses]") {
  const auto target = numbers({1, -1});
  for (const auto* name : {"mean_squared_error", "mean_absolute_error", "smooth_l1"}) {
    Metrics metrics;
    Numbers scratch(2);
    make_loss<double>({name})->evaluate({Numbers{1.5, -1.5}, 1, target, 4}, scratch, metrics);
    for (const auto& [metric, value] : metrics.values()) {
      if (metric == "mse")
        CHECK(value == Approx(4)); // (0.5 of 4)^2
      if (metric == "mae")
        CHECK(value == Approx(2));
      if (metric == "r2")
        CHECK(value == Approx(0.75));
      if (metric == "loss") // what training minimises, unscaled
        CHECK(value < 1);
    }
  }
}
