#include "model/tensor/block.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <vector>

using namespace troupe;

TEST_CASE("a new block holds zeros, aligned to a cache line", "[block]") {
  const Block block{100};
  REQUIRE(block.size() == 100);
  for (auto x : block.view())
    CHECK(x == 0);
  CHECK(reinterpret_cast<std::uintptr_t>(block.view().data()) % 64 == 0);
}

TEST_CASE("an empty block can be read and written", "[block]") {
  Block block;
  CHECK(block.empty());
  CHECK(block.view().empty());
  CHECK(block.edit().empty());
  CHECK(block.overwrite().empty());
  CHECK(block == Block{});
}

TEST_CASE("a copy of a block shares its memory until one of the two is written", "[block]") {
  const std::vector<float> numbers{1, 2, 3};
  auto block = Block::copy_of(numbers);
  const auto copy = block;
  CHECK(copy.same_buffer(block));
  CHECK(block.shared());
  block.edit()[0] = 10;
  CHECK_FALSE(copy.same_buffer(block));
  CHECK_FALSE(block.shared());
  CHECK(copy.view()[0] == 1);
  CHECK(block.view()[0] == 10);
  CHECK(block.view()[2] == 3);
}

TEST_CASE("an unshared block is written in place", "[block]") {
  Block block{8};
  const auto* memory = block.view().data();
  CHECK(block.edit().data() == memory);
  CHECK(block.overwrite().data() == memory);
  { const auto copy = block; }
  CHECK(block.edit().data() == memory);
}

TEST_CASE("overwriting a shared block does not change the other one", "[block]") {
  Block block{4};
  const auto copy = block;
  for (auto& x : block.overwrite())
    x = 1;
  CHECK(copy == Block{4});
  CHECK(block.size() == 4);
}

TEST_CASE("blocks are equal where their bits are", "[block]") {
  const auto nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(Block::copy_of(std::vector{nan}) == Block::copy_of(std::vector{nan}));
  CHECK_FALSE(Block::copy_of(std::vector{0.0f}) == Block::copy_of(std::vector{-0.0f}));
  CHECK_FALSE(Block{3} == Block{4});
}
