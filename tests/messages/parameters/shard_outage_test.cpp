#include "messages/parameters/shard_outage.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

TEST_CASE("an outage lasts from its first loss to its end", "[shard_outage]") {
  ShardOutage outage;
  CHECK_FALSE(outage.since());
  outage.begin(10);
  outage.begin(12); // another shard
  CHECK(outage.since() == 10.0);
  CHECK(outage.is_report_due());
  CHECK_FALSE(outage.is_report_due());
  CHECK(outage.end(15) == 5.0);
  CHECK_FALSE(outage.since());
  outage.begin(20);
  CHECK(outage.is_report_due()); // another outage
}

TEST_CASE("the end of an unreported outage is not reported", "[shard_outage]") {
  ShardOutage outage;
  outage.begin(10);
  CHECK_FALSE(outage.end(15));
  CHECK(outage.is_report_due());
  CHECK_FALSE(outage.end(16)); // nor without an outage: a worker waited to join
}
