#include "messages/control/refused_requests.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

TEST_CASE("people are told of refused requests at most once in a second", "[refused_requests]") {
  RefusedRequests refused;
  CHECK(refused.add(0) == 1u);
  CHECK_FALSE(refused.add(0.5));
  CHECK_FALSE(refused.add(0.9));
  CHECK(refused.add(1) == 4u); // and how many there were
}
