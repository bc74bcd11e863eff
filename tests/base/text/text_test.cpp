#include "base/text/text.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <cstdlib>
#include <limits>

using namespace troupe;

TEST_CASE("the shortest decimal of a number reads back as the same", "[text]") {
  const auto x = GENERATE(0.0, 0.1, -2.5, 1e30, 5e-324, 1.0 / 3, HUGE_VAL);
  CHECK(std::strtod(shortest(x).c_str(), nullptr) == x);
}

TEST_CASE("NaN is written without a sign", "[text]") {
  const auto nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto x : {nan, std::copysign(nan, -1.0)}) {
    CHECK(shortest(x) == "nan");
    CHECK_FALSE(std::signbit(without_nan_sign(x)));
  }
  CHECK(without_nan_sign(-2) == -2);
}

TEST_CASE("a count has a singular and a plural", "[text]") {
  CHECK(quantity(0, "epoch") == "0 epochs");
  CHECK(quantity(1, "batch", "es") == "1 batch");
  CHECK(quantity(2, "batch", "es") == "2 batches");
}
