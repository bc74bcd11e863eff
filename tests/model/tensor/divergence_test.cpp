#include "model/tensor/divergence.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <vector>

using namespace troupe;

TEST_CASE("divergence is the distance relative to the length before", "[divergence][L14]") {
  const std::vector<float> before{3, 0, 4}, now{3, 3, 8};
  CHECK(relative_divergence(now, before) == 1); // 5 of 5
  CHECK(relative_divergence(before, before) == 0);
}

TEST_CASE("from zero parameters every divergence is infinite, except none", "[divergence]") {
  const std::vector<float> zero{0, 0}, one{1, 0};
  CHECK(std::isinf(relative_divergence(one, zero)));
  CHECK(relative_divergence(zero, zero) == 0);
}

TEST_CASE("divergence does not overflow where float would", "[divergence]") {
  const std::vector<float> before{3e30f, 4e30f}, now{6e30f, 8e30f};
  CHECK(relative_divergence(now, before) == Approx(1));
}

TEST_CASE("divergence of NaN parameters is NaN", "[divergence]") {
  const std::vector<float> before{1, 2}, now{1, std::nanf("")};
  CHECK(std::isnan(relative_divergence(now, before)));
}
