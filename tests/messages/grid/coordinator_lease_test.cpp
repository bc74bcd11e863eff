#include "messages/grid/coordinator_lease.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

TEST_CASE("a node renews its lease with the host at once, and then once a lease", "[M49]") {
  CoordinatorLease lease;
  lease.begin(5, 100);
  CHECK(lease.is_due(100));
  lease.renew(100);
  CHECK_FALSE(lease.is_due(104.9));
  CHECK(lease.is_due(105));
}

TEST_CASE("a host that has been silent for two leases is taken for away", "[M49]") {
  CoordinatorLease lease;
  lease.begin(5, 100);
  lease.answered(103);
  lease.answered(101); // the answer to an earlier renewal comes late
  CHECK_FALSE(lease.loss(112.9));
  CHECK(lease.loss(113) == "it has not answered for 10s");
}
