#include "messages/grid/coordinator_lease.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

TEST_CASE("a node renews its lease at once, and then once per lease", "[M49]") {
  CoordinatorLease lease;
  lease.begin(5, 100);
  CHECK(lease.is_due(100));
  lease.renew(100);
  CHECK_FALSE(lease.is_due(104.9));
  CHECK(lease.is_due(105));
}

TEST_CASE("a coordinator that is silent for two leases counts as lost", "[M49]") {
  CoordinatorLease lease;
  lease.begin(5, 100);
  lease.answered(103);
  lease.answered(101); // a late answer to an earlier renewal
  CHECK_FALSE(lease.loss(112.9));
  CHECK(lease.loss(113) == "it has not answered for 10s");
}
