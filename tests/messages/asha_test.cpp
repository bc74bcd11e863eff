#include "troupe/messages/asha.hpp"

#include <catch2/catch.hpp>

#include <limits>

using namespace troupe;

TEST_CASE("the paper's rule: one of factor trials is promoted, to the highest rung first",
          "[asha]") {
  AshaScheduler asha{3, 3, Choose::min};
  for (std::uint64_t trial = 1; trial <= 9; ++trial)
    asha.ended(trial, 0, static_cast<double>(trial));
  for (std::uint64_t trial = 1; trial <= 3; ++trial) {
    const auto promotion = asha.promote();
    REQUIRE(promotion);
    CHECK(promotion->trial == trial);
    CHECK(promotion->rung == 1);
    asha.ended(trial, 1, static_cast<double>(10 - trial));
  }
  const auto last = asha.promote();
  REQUIRE(last);
  CHECK(last->trial == 3); // the order may turn round in a higher rung
  CHECK(last->rung == 2);
  CHECK_FALSE(asha.promote());
}

TEST_CASE("of trials that are good enough on several rungs the highest goes first", "[asha]") {
  AshaScheduler asha{3, 2, Choose::min};
  for (std::uint64_t trial = 1; trial <= 4; ++trial)
    asha.ended(trial, 0, static_cast<double>(trial));
  REQUIRE(asha.promote()->trial == 1);
  REQUIRE(asha.promote()->trial == 2);
  asha.ended(1, 1, 1);
  asha.ended(2, 1, 2); // the better of two may go to rung 2,
  asha.ended(5, 0, 0);
  asha.ended(6, 0, 9); // and the best of six to rung 1
  const auto first = asha.promote(), second = asha.promote();
  REQUIRE((first && second));
  CHECK((first->trial == 1 && first->rung == 2));
  CHECK((second->trial == 5 && second->rung == 1));
}

TEST_CASE("nobody is promoted before as many trials as the factor have ended", "[asha]") {
  AshaScheduler asha{2, 4, Choose::max};
  for (std::uint64_t trial = 1; trial <= 3; ++trial) {
    asha.ended(trial, 0, 0.5);
    CHECK_FALSE(asha.promote());
  }
  asha.ended(4, 0, 0.9);
  CHECK(asha.promote()->trial == 4);
}

TEST_CASE("a score that is not a number is worse than all others", "[asha]") {
  AshaScheduler asha{2, 2, Choose::max};
  asha.ended(1, 0, std::numeric_limits<double>::quiet_NaN());
  asha.ended(2, 0, -1e300);
  CHECK(asha.promote()->trial == 2);
  CHECK_FALSE(asha.promote());
}

TEST_CASE("halving without rungs or with a factor of one is refused", "[asha]") {
  CHECK_THROWS_WITH(AshaScheduler(0, 3, Choose::min), Catch::Contains("no rung"));
  CHECK_THROWS_WITH(AshaScheduler(2, 1, Choose::min), Catch::Contains("at least 2"));
}
