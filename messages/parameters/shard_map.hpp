#pragma once

#include "messages/parameters/fragment.hpp"

#include <vector>

namespace troupe {

/// Elements [begin, end) of the block.
struct ShardRange {
  Index begin = 0, end = 0;
  Index size() const { return end - begin; }
  bool operator==(const ShardRange&) const = default;
};

/// Which of several holders keeps which part of the block: equal ranges, cut at multiples of 16
/// floats (a cache line), regardless of parameter boundaries.
class ShardMap {
public:
  ShardMap() = default;
  /// @pre shards >= 1
  ShardMap(const Layout& layout, std::size_t shards);

  std::size_t shards() const { return ranges_.size(); }
  const ShardRange& range(std::size_t shard) const { return ranges_[shard]; }

  /// The layout of a shard's own block. A parameter that is split appears as "name[begin:end)",
  /// one-dimensional; a whole one keeps its name and shape.
  Layout layout_of(std::size_t shard) const;

  /// What a shard keeps of a fragment of the block, within the shard's own block; perhaps nothing.
  Fragment fragment_at(std::size_t shard, const Fragment& fragment) const;
  /// Which shard keeps which part of a fragment's block: for part_of() and joined() of such blocks.
  /// @pre not the whole block
  ShardMap within(const Fragment& fragment) const;

  /// The part of `whole` that a shard keeps; all of it, without a copy, if there is one shard.
  Block part_of(const Block& whole, std::size_t shard) const;
  /// Joins the parts, in the order of the shards.
  Block joined(std::vector<Block> parts) const;

private:
  Layout layout_;
  std::vector<ShardRange> ranges_;
};

} // namespace troupe
