#include "messages/log/statistics.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace troupe;
using Catch::Contains;

TEST_CASE("a collector keeps what a hand-written list would", "[M30]") {
  StatisticsCollector collector;
  collector.add("loss", "{:12.10f}");
  collector.add("episode", "{:06d}");
  CHECK(std::isnan(collector.last().front().value));
  for (const auto loss : {0.5, 0.25, 0.125}) {
    collector.collect("loss", loss);
    collector.collect("episode", 1 / loss);
  }
  CHECK(collector.values("loss") == std::vector<double>{0.5, 0.25, 0.125});
  CHECK(collector.values("episode") == std::vector<double>{2, 4, 8});
  CHECK(statistics_text(collector.last()) == "loss 0.1250000000; episode 000008");
  collector.empty();
  CHECK(collector.values("loss").empty());
  CHECK(collector.last().size() == 2);
}

TEST_CASE("a collector has each name once, and no other", "[M30]") {
  StatisticsCollector collector;
  collector.add("loss", "{}");
  CHECK_THROWS_WITH(collector.add("loss", "{}"), Contains("'loss', as another one is"));
  CHECK_THROWS_AS(collector.add("", "{}"), std::invalid_argument);
  // cure: ; give each a name of its own
  CHECK_NOTHROW(collector.add("accuracy", "{}"));
  CHECK_THROWS_AS(collector.add("rate", "{:x}"), std::invalid_argument);
  CHECK_THROWS_WITH(collector.collect("acc", 1), Contains("'acc'"));
  CHECK_THROWS_AS(collector.values("acc"), std::out_of_range);
  // cure: ; add it first
  collector.add("acc", "{}");
  CHECK_NOTHROW(collector.collect("acc", 1));
}

TEST_CASE("aggregates match manual computation", "[M31]") {
  const auto spread = spread_of(std::vector<double>{2, 4, 4, 4, 5, 5, 7, 9});
  CHECK(spread.mean == 5);
  CHECK(spread.minimum == 2);
  CHECK(spread.maximum == 9);
  CHECK(spread.deviation == Approx(std::sqrt(32.0 / 7)));
}

TEST_CASE("one value has no deviation, and no values give -1", "[M31]") {
  const auto one = spread_of(std::vector<double>{3});
  CHECK(one.mean == 3);
  CHECK(one.minimum == 3);
  CHECK(one.maximum == 3);
  CHECK(one.deviation == 0);
  const auto none = spread_of({});
  CHECK(none.mean == -1);
  CHECK(none.deviation == -1);
}

TEST_CASE("a mean can be weighted by examples", "[M31]") {
  const std::vector<double> losses{1, 4}, sizes{3, 1};
  CHECK(spread_of(losses, sizes).mean == 1.75);
  CHECK(spread_of(losses).mean == 2.5);
  CHECK(spread_of(losses, sizes).deviation == spread_of(losses).deviation);
  CHECK_THROWS_AS(spread_of(losses, std::vector<double>{1}), std::invalid_argument);
  // cure: values; give one for each, or none
  CHECK_NOTHROW(spread_of(losses, std::vector<double>{1, 1}));
  CHECK_NOTHROW(spread_of(losses, std::vector<double>{}));
}

TEST_CASE("an aggregator is -1 until it is set, and copies the newest collected numbers", "[M31]") {
  StatisticsCollector collector;
  collector.add("episode", "{:06d}");
  collector.add("loss", "{:12.10f}");
  collector.collect("episode", 6);
  collector.collect("episode", 7);
  collector.collect("loss", 0.5);
  StatisticsAggregator aggregator;
  aggregator.add("episode", "{:06d}");
  aggregator.add("episodes_aggregated", "{:d}");
  aggregator.add_spread("acc", "{:.2f}");
  CHECK(aggregator.value("episode") == -1);
  aggregator.copy_last(collector);
  CHECK(aggregator.value("episode") == 7);
  aggregator.set_spread("acc", {0.5, 0.25, 0.75, 0.125});
  CHECK(statistics_text(aggregator.row(), "Epoch 1")
        == "episode 000007; episodes_aggregated -1; acc 0.50; acc_min 0.25; acc_max 0.75; "
           "acc_std 0.12 [Epoch 1]");
  CHECK_FALSE(aggregator.has("loss"));
  CHECK_THROWS_AS(aggregator.set("loss", 1), std::out_of_range);
}
