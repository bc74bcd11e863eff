#include "model/metrics/metrics.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using Values = std::vector<std::pair<std::string, double>>;

namespace {

/// Adds rows of predictions p and targets y to R2.
void add_rows(Metrics& metrics, const std::vector<double>& p, const std::vector<double>& y,
              Index width = 1) {
  metrics.r_squared().add<double>(p, y, width);
}

} // namespace

TEST_CASE("a smaller last batch has the weight of its size", "[metrics][T26]") {
  Metrics metrics;
  metrics.add_mean("loss", 64 * 1.0, 64);
  metrics.add_mean("loss", 16 * 3.0, 16);
  CHECK(metrics.values() == Values{{"loss", 1.4}});
}

TEST_CASE("a metric of nothing is 0, not NaN, and is listed as undefined", "[metrics][T26]") {
  Metrics metrics;
  metrics.add_mean("accuracy", 0, 0);
  metrics.add_mean("loss", 3, 2);
  metrics.r_squared();
  CHECK(metrics.values() == Values{{"accuracy", 0}, {"loss", 1.5}, {"r2", 0}});
  CHECK(metrics.undefined() == std::vector<std::string>{"accuracy", "r2"});
}

TEST_CASE("R2 is 1 for a perfect prediction and 0 for the mean", "[metrics]") {
  Metrics perfect, mean;
  add_rows(perfect, {1, 2, 3}, {1, 2, 3});
  add_rows(mean, {2, 2, 2}, {1, 2, 3});
  CHECK(perfect.values()[0].second == 1);
  CHECK(mean.values()[0].second == 0);
  CHECK(mean.undefined().empty());
}

TEST_CASE("R2 of targets that are all equal is undefined", "[metrics][T26]") {
  Metrics metrics;
  for (int i = 0; i < 1000; ++i)
    add_rows(metrics, {0.8}, {0.1});
  CHECK(metrics.values() == Values{{"r2", 0}});
  CHECK(metrics.undefined() == std::vector<std::string>{"r2"});
}

TEST_CASE("R2 of several targets is the mean of each one's own", "[metrics][T26]") {
  const std::vector<double> y{-1, 999, 0, 1000, 1, 1001};
  Metrics means, second; // predicts the means; the second target is exact except for 0.5
  add_rows(means, {0, 1000, 0, 1000, 0, 1000}, y, 2);
  CHECK(means.values() == Values{{"r2", 0}});
  add_rows(second, {0, 999, 0, 1000, 0, 1001.5}, y, 2);
  CHECK(second.values().at(0).second == Approx((0 + 1 - 0.25 / 2) / 2));
}

TEST_CASE("a constant target is left out of the mean R2", "[metrics][T26]") {
  Metrics metrics;
  add_rows(metrics, {1, 5, 3, 8, 2, 5}, {1, 7, 2, 7, 3, 7}, 2);
  CHECK(metrics.values() == Values{{"r2", 0}}); // 1 - 2 / 2 for the first one
  CHECK(metrics.undefined().empty());
}

TEST_CASE("parts evaluated separately and merged give the result of one pass", "[metrics][T26]") {
  Metrics whole, left, right;
  const double y[] = {1, 4, 2, 8, 5, 7}, p[] = {1.5, 3, 2, 7, 6, 6};
  for (int i = 0; i < 6; ++i)
    for (auto* metrics : {&whole, i < 2 ? &left : &right}) {
      metrics->add_mean("mse", (y[i] - p[i]) * (y[i] - p[i]), 1);
      add_rows(*metrics, {p[i], 2 * p[i]}, {y[i], 9 - y[i]}, 2);
    }
  left.merge(right);
  REQUIRE(left.values().size() == 2);
  for (int i = 0; i < 2; ++i) {
    CHECK(left.values()[i].first == whole.values()[i].first);
    CHECK(left.values()[i].second == Approx(whole.values()[i].second));
  }
  Metrics empty;
  empty.merge(left);
  CHECK(empty.values() == left.values());
}

TEST_CASE("one name cannot be a mean and an R2", "[metrics]") {
  Metrics metrics;
  metrics.add_mean("r2", 1, 1);
  CHECK_THROWS_AS(metrics.r_squared(), std::invalid_argument);
  // cure: a mean and an R2; give them two names
  Metrics renamed;
  renamed.add_mean("mean_r2", 1, 1);
  CHECK_NOTHROW(renamed.r_squared());
}
