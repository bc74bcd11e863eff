#include "troupe/messages/batch_metrics.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

TEST_CASE("metrics of batches come to extremes and a deviation in their own order", "[M31]") {
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

TEST_CASE("of no batch there is nothing to tell", "[M31]") {
  CHECK(BatchMetrics{}.spreads().empty());
}
