#include "base/failure.hpp"
#include "messages/parameters/held_parameters.hpp"
#include "messages/parameters/shard_map.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>

using namespace troupe;

namespace {

Layout two_parameters(Index width = 10) {
  Layout layout;
  layout.add("w", {4, width});
  layout.add("b", {10});
  return layout;
}

Block counting_up(Index size) {
  Block block{size};
  std::iota(block.edit().begin(), block.edit().end(), 0.0f);
  return block;
}

/// Holders with the parameters 0, 1, 2, ..., split into so many ranges.
std::vector<SavedHolder> holders_of(const Layout& layout, std::size_t shards) {
  const ShardMap map{layout, shards};
  const auto values = counting_up(layout.size());
  std::vector<SavedHolder> holders(shards);
  for (std::size_t i = 0; i < shards; ++i) {
    holders[i].layout = map.layout_of(i);
    holders[i].values = map.part_of(values, i);
    holders[i].version = 7;
    holders[i].pushes = 14;
    holders[i].mark = 3;
  }
  return holders;
}

} // namespace

TEST_CASE("what holders keep is assembled bit for bit, however it is split", "[L7]") {
  for (const std::size_t shards : {1, 2, 3}) {
    const auto held = held_parameters(holders_of(two_parameters(), shards), two_parameters());
    CHECK(held.layout == two_parameters());
    CHECK(held.values == counting_up(50));
    CHECK(held.metadata.at("version") == "7");
    CHECK(held.metadata.at("pushes") == "14");
  }
}

TEST_CASE("a holder lacks its parameters unless its range is empty and the others have theirs",
          "[L7]") {
  auto holders = holders_of(two_parameters(), 5); // 50 numbers in ranges of multiples of 16
  REQUIRE(std::any_of(holders.begin(), holders.end(),
                      [](const SavedHolder& holder) { return holder.values.empty(); }));
  CHECK_FALSE(without_parameters(holders));
  CHECK(held_parameters(holders, two_parameters()).values == counting_up(50));
  auto last = holders.size() - 1;
  while (holders[last].values.empty())
    --last;
  holders[last].values = {};
  CHECK(without_parameters(holders) == last);
  CHECK(without_parameters(std::vector<SavedHolder>(3)) == 0);
}

TEST_CASE("what follows a model's parameters is left out", "[L7]") {
  auto shared = two_parameters();
  shared.add("w_velocity", {4, 10});
  CHECK(held_parameters(holders_of(shared, 2), two_parameters()).values == counting_up(50));
}

TEST_CASE("holders of another model are refused", "[L7]") {
  CHECK_THROWS_WITH(held_parameters(holders_of(two_parameters(12), 2), two_parameters()),
                    Catch::Contains("keep 'w' with 48 numbers where the model has 'w' [4, 10]"));
  // cure: ; give all holders in their order, and the configuration that their workers have
  CHECK_NOTHROW(held_parameters(holders_of(two_parameters(12), 2), two_parameters(12)));
  auto holders = holders_of(two_parameters(), 2);
  holders.pop_back();
  CHECK_THROWS_AS(held_parameters(holders, two_parameters()), DataError);
}

TEST_CASE("holders are consistent if they have applied the same pushes", "[L7]") {
  auto holders = holders_of(two_parameters(), 2);
  CHECK(of_one_moment(holders));
  holders[1].mark = 4;
  CHECK_FALSE(of_one_moment(holders));
}
