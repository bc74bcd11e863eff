#include "messages/parameters/shard_map.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <numeric>
#include <random>

using namespace troupe;

namespace {

Layout random_layout(std::mt19937& random) {
  Layout layout;
  const auto parameters = 1 + random() % 6;
  for (std::size_t i = 0; i < parameters; ++i) {
    Shape shape{static_cast<Index>(1 + random() % 40)};
    if (random() % 2 == 0)
      shape.push_back(static_cast<Index>(1 + random() % 20));
    layout.add("p" + std::to_string(i), shape);
  }
  return layout;
}

/// The block 0, 1, 2, ...
Block counting_block(Index size) {
  auto block = Block::uninitialized(size);
  const auto values = block.overwrite();
  std::iota(values.begin(), values.end(), 0.0f);
  return block;
}

/// "p0[16:32)" -> "p0" and 16; "p0" -> "p0" and 0.
std::pair<std::string, Index> place_of(const std::string& name) {
  const auto bracket = name.find('[');
  if (bracket == std::string::npos)
    return {name, 0};
  return {name.substr(0, bracket), std::stoll(name.substr(bracket + 1))};
}

} // namespace

TEST_CASE("shards cover the block exactly once, cut at cache lines, and none is much larger",
          "[shards][L12]") {
  std::mt19937 random{1};
  for (int trial = 0; trial < 200; ++trial) {
    const auto layout = random_layout(random);
    const auto shards = 1 + random() % 9;
    const ShardMap map{layout, shards};
    REQUIRE(map.shards() == shards);
    Index end = 0, least = layout.size(), most = 0;
    for (std::size_t shard = 0; shard < shards; ++shard) {
      const auto& range = map.range(shard);
      REQUIRE(range.begin == end);
      REQUIRE(range.size() >= 0);
      if (range.size() > 0)
        CHECK(range.begin % 16 == 0);
      least = std::min(least, range.size());
      most = std::max(most, range.size());
      end = range.end;
    }
    CHECK(end == layout.size());
    CHECK(most - least < 2 * 16); // one cache line, and what is missing in the last one
  }
}

TEST_CASE("the joined parts of a block are the block", "[shards][L12]") {
  std::mt19937 random{2};
  for (int trial = 0; trial < 200; ++trial) {
    const auto layout = random_layout(random);
    const auto whole = counting_block(layout.size());
    const ShardMap map{layout, 1 + random() % 9};
    std::vector<Block> parts;
    for (std::size_t shard = 0; shard < map.shards(); ++shard) {
      parts.push_back(map.part_of(whole, shard));
      REQUIRE(parts.back().size() == map.range(shard).size());
    }
    CHECK(map.joined(std::move(parts)) == whole);
  }
}

TEST_CASE("a shard's layout is sound, and every element keeps its parameter's name and offset",
          "[shards][L12]") {
  std::mt19937 random{3};
  for (int trial = 0; trial < 200; ++trial) {
    const auto layout = random_layout(random);
    const auto whole = counting_block(layout.size());
    const ShardMap map{layout, 1 + random() % 9};
    std::map<std::string, Index> covered;
    for (std::size_t shard = 0; shard < map.shards(); ++shard) {
      const auto part = map.part_of(whole, shard);
      const auto own = map.layout_of(shard);
      CHECK(own.defect().empty());
      REQUIRE(own.size() == part.size());
      for (const auto& piece : own.parameters()) {
        const auto [name, begin] = place_of(piece.name);
        const auto* parameter = layout.find(name);
        REQUIRE(parameter != nullptr);
        CHECK(begin == covered[name]); // nothing is left out or repeated
        covered[name] += piece.size();
        CHECK(part.view()[static_cast<std::size_t>(piece.offset)]
              == static_cast<float>(parameter->offset + begin));
        if (piece.size() == parameter->size()) {
          CHECK(piece.name == name);
          CHECK(piece.shape == parameter->shape);
        } else {
          CHECK(piece.name
                == name + "[" + std::to_string(begin) + ":" + std::to_string(begin + piece.size())
                     + ")");
        }
      }
    }
    for (const auto& parameter : layout.parameters())
      CHECK(covered[parameter.name] == parameter.size());
  }
}

TEST_CASE("one shard keeps the block itself, without a copy", "[shards][L12]") {
  Layout layout;
  layout.add("w", {7, 3});
  const ShardMap map{layout, 1};
  const auto whole = counting_block(21);
  CHECK(map.part_of(whole, 0).same_buffer(whole));
  CHECK(map.joined({whole}).same_buffer(whole));
  CHECK(map.layout_of(0) == layout);
}

TEST_CASE("a block with fewer cache lines than shards leaves some of them empty", "[shards][L12]") {
  Layout layout;
  layout.add("w", {5});
  const ShardMap map{layout, 3};
  std::vector<Block> parts;
  Index size = 0;
  for (std::size_t shard = 0; shard < 3; ++shard) {
    CHECK(map.layout_of(shard).defect().empty());
    parts.push_back(map.part_of(counting_block(5), shard));
    size += parts.back().size();
  }
  CHECK(size == 5);
  CHECK(map.joined(parts) == counting_block(5));
}

TEST_CASE("parts of a block that does not exist yet do not exist either", "[shards][L12]") {
  Layout layout;
  layout.add("w", {64});
  CHECK(ShardMap{layout, 2}.part_of({}, 1).empty());
}
