#include "messages/loop/exact_sum.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <random>

using namespace troupe;

TEST_CASE("numbers added after a huge one are kept exactly", "[run_state]") {
  ExactSum sum;
  sum.add(0.25);
  sum.add(2.137e32);
  const auto before = sum;
  sum.add(0.5);
  sum.add(0.125);
  CHECK(sum.since(before) == 0.625);
  sum.add(-2.137e32);
  CHECK(sum.value() == 0.875);
}

TEST_CASE("an exact sum does not depend on the order of its numbers", "[run_state]") {
  std::mt19937 random{7};
  std::vector<double> numbers;
  for (int i = 0; i < 200; ++i)
    numbers.push_back(std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 600)));
  ExactSum forward, backward;
  for (const auto x : numbers)
    forward.add(x);
  for (auto i = numbers.rbegin(); i != numbers.rend(); ++i)
    backward.add(*i);
  CHECK(forward.since(backward) == 0);
  for (const auto x : numbers)
    forward.add(-x);
  CHECK(forward.parts.empty());
}

TEST_CASE("a number that cannot be added spoils only the differences that contain it",
          "[run_state]") {
  ExactSum sum;
  sum.add(1);
  const auto before = sum;
  for (const auto x : {std::nan(""), std::numeric_limits<double>::infinity()})
    sum.add(x);
  const auto between = sum;
  sum.add(2);
  CHECK(std::isnan(sum.since(before)));
  CHECK(sum.since(between) == 2);
}

TEST_CASE("a number that would make the sum too large is left out", "[run_state]") {
  constexpr auto large = std::numeric_limits<double>::max() / 5;
  ExactSum sum;
  sum.add(large);
  CHECK(sum.value() == large);
  const auto before = sum;
  sum.add(large);
  const auto after = sum;
  CHECK(std::isnan(after.since(before)));
  sum.add(3);
  CHECK(sum.since(after) == 3);
}
