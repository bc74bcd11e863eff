#include "model/data/row_split.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace troupe;
using Catch::Contains;

TEST_CASE("two parts are disjoint and together complete", "[M52]") {
  for (const auto& split : {split_in_two(1000, 300, 7), split_in_ranges(1000, 300)}) {
    CHECK(split.a.size() == 300);
    auto all = split.a;
    all.insert(all.end(), split.b.begin(), split.b.end());
    std::sort(all.begin(), all.end());
    REQUIRE(all.size() == 1000);
    for (Index row = 0; row < 1000; ++row)
      CHECK(all[static_cast<std::size_t>(row)] == row);
  }
}

TEST_CASE("the rows of a part depend on the seed only", "[M52]") {
  CHECK(split_in_two(1000, 300, 7).a == split_in_two(1000, 300, 7).a);
  CHECK(split_in_two(1000, 300, 7).a != split_in_two(1000, 300, 8).a);
  CHECK(split_in_two(1000, 300, 7).a != split_in_ranges(1000, 300).a);
  CHECK(split_in_ranges(5, 2).a == std::vector<Index>{0, 1});
}

TEST_CASE("a part without rows is refused with the valid range", "[M52]") {
  CHECK_THROWS_WITH(split_in_two(10, 0, 0), Contains("0 of 10 rows; give a number from 1 to 9"));
  CHECK_THROWS_WITH(split_in_ranges(10, 10), Contains("give a number from 1 to 9"));
  CHECK_THROWS_WITH(split_in_two(1, 1, 0), Contains("too few"));
}
