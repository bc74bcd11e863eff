#include "apps/why/batch_costs.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

TEST_CASE("batches are large enough where larger ones gain little", "[why]") {
  // 1 ms for a batch and 0.01 ms for an example
  const auto larger = larger_batches({{1, 1.01e-3}, {4, 1.04e-3}, {16, 1.16e-3}, {64, 1.64e-3}});
  REQUIRE(larger);
  CHECK(larger->size == 64);
  CHECK(larger->ratio == Approx((1.64 / 64) / 1.01));
}

TEST_CASE("batches whose time is that of their examples are not called tiny", "[why]") {
  CHECK_FALSE(larger_batches({{1, 1e-3}, {4, 3.9e-3}, {16, 15e-3}}));
  CHECK_FALSE(larger_batches({{1, 1e-3}}));
  CHECK_FALSE(larger_batches({}));
}
