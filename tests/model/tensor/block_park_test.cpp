#include "model/tensor/block_park.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <vector>

using namespace troupe;

TEST_CASE("a parked block has the same numbers, also after others are parked and freed",
          "[block_park]") {
  BlockPark park(1); // parked blocks always leave the memory
  const std::vector<float> numbers(5000, 1.5f);
  const auto parked = park.park(Block::copy_of(numbers));
  for (int i = 0; i < 20; ++i) {
    auto other = Block{5000};
    other.edit()[0] = static_cast<float>(i);
    CHECK(park.park(other) == other);
  }
  CHECK(parked == Block::copy_of(numbers));
}

TEST_CASE("editing a parked block leaves its copies as they are", "[block_park]") {
  BlockPark park(1 << 20);
  auto parked = park.park(Block{3});
  const auto copy = parked;
  parked.edit()[0] = 1;
  CHECK(copy == Block{3});
  CHECK(parked.view()[0] == 1);
}

TEST_CASE("a parked block outlives the park", "[block_park]") {
  constexpr std::array<float, 2> numbers{1, 2};
  Block parked;
  {
    BlockPark park(1);
    parked = park.park(Block::copy_of(numbers));
  }
  CHECK(parked == Block::copy_of(numbers));
  CHECK(BlockPark(1).park(Block{}).empty());
}
