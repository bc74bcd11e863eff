#include "troupe/model/metrics.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using Values = std::vector<std::pair<std::string, double>>;

TEST_CASE("a ragged last batch weighs what it holds", "[metrics][T26]") {
  Metrics metrics;
  metrics.add_mean("loss", 64 * 1.0, 64);
  metrics.add_mean("loss", 16 * 3.0, 16);
  CHECK(metrics.values() == Values{{"loss", 1.4}});
}

TEST_CASE("a metric of nothing is 0, not NaN, and is listed as undefined", "[metrics][T26]") {
  Metrics metrics;
  metrics.add_mean("accuracy", 0, 0);
  metrics.add_mean("loss", 3, 2);
  metrics.add_r2("r2", 0, 0, 0, 0);
  CHECK(metrics.values() == Values{{"accuracy", 0}, {"loss", 1.5}, {"r2", 0}});
  CHECK(metrics.undefined() == std::vector<std::string>{"accuracy", "r2"});
}

TEST_CASE("R2 is 1 for a perfect prediction and 0 for the mean", "[metrics]") {
  Metrics perfect, mean; // y = 1, 2, 3
  perfect.add_r2("r2", 0, 6, 14, 3);
  mean.add_r2("r2", 2, 6, 14, 3);
  CHECK(perfect.values()[0].second == 1);
  CHECK(mean.values()[0].second == 0);
  CHECK(mean.undefined().empty());
}

TEST_CASE("R2 of targets that are all equal is undefined", "[metrics][T26]") {
  Metrics metrics;
  for (int i = 0; i < 1000; ++i)
    metrics.add_r2("r2", 0.5, 0.1, 0.1 * 0.1, 1);
  CHECK(metrics.values() == Values{{"r2", 0}});
  CHECK(metrics.undefined() == std::vector<std::string>{"r2"});
}

TEST_CASE("parts evaluated apart and merged give what one pass gives", "[metrics][T26]") {
  Metrics whole, left, right;
  const double y[] = {1, 4, 2, 8, 5, 7}, p[] = {1.5, 3, 2, 7, 6, 6};
  for (int i = 0; i < 6; ++i)
    for (auto* metrics : {&whole, i < 2 ? &left : &right}) {
      metrics->add_mean("mse", (y[i] - p[i]) * (y[i] - p[i]), 1);
      metrics->add_r2("r2", (y[i] - p[i]) * (y[i] - p[i]), y[i], y[i] * y[i], 1);
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
  CHECK_THROWS_AS(metrics.add_r2("r2", 0, 0, 0, 0), std::invalid_argument);
}
