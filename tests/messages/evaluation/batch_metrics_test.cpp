#include "messages/evaluation/batch_metrics.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

TEST_CASE("metrics of batches give extremes and a deviation in their own order", "[M31]") {
  BatchMetrics batches;
  for (const auto loss : {1.0, 2.0, 3.0}) {
    Metrics batch;
    batch.add_mean("loss", loss, 1);
    batch.add_mean("accuracy", 1, 2);
    batches.add(batch);
  }
  CHECK(batches.count() == 3);
  const auto spreads = batches.spreads();
  REQUIRE(spreads.size() == 2);
  CHECK(spreads[0].minimum == 1);
  CHECK(spreads[0].maximum == 3);
  CHECK(spreads[0].deviation == 1);
  CHECK(spreads[1].deviation == 0);
}

TEST_CASE("batches in which a metric is undefined do not count in its extremes", "[M31][T26]") {
  BatchMetrics batches;
  Metrics nothing, good;
  nothing.add_mean("precision", 0, 0);
  good.add_mean("precision", 3, 4);
  batches.add(nothing);
  CHECK_FALSE(batches.spreads().at(0).of_any());
  batches.add(good);
  CHECK_FALSE(batches.defined(0, 0));
  const auto spread = batches.spreads().at(0);
  CHECK(spread.minimum == 0.75);
  CHECK(spread.deviation == 0);
}

TEST_CASE("without batches there are no spreads", "[M31]") {
  CHECK(BatchMetrics{}.spreads().empty());
}
