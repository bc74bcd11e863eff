#include "messages/parameters/shard_map.hpp"

#include <algorithm>

namespace troupe {

namespace {

constexpr Index grain = 16; // floats in a cache line

} // namespace

ShardMap::ShardMap(const Layout& layout, std::size_t shards) : layout_(layout) {
  const auto grains = (layout.size() + grain - 1) / grain;
  const auto count = static_cast<Index>(shards);
  for (Index shard = 0; shard < count; ++shard)
    ranges_.push_back({std::min(layout.size(), grains * shard / count * grain),
                       std::min(layout.size(), grains * (shard + 1) / count * grain)});
}

Layout ShardMap::layout_of(std::size_t shard) const {
  if (ranges_.size() == 1)
    return layout_;
  return troupe::layout_of(layout_, {ranges_[shard].begin, ranges_[shard].size()});
}

Fragment ShardMap::fragment_at(std::size_t shard, const Fragment& fragment) const {
  if (fragment.is_whole())
    return fragment;
  const auto& range = ranges_[shard];
  const auto begin = std::clamp(fragment.begin, range.begin, range.end);
  const auto end = std::clamp(fragment.begin + fragment.size, range.begin, range.end);
  return {begin - range.begin, end - begin};
}

ShardMap ShardMap::within(const Fragment& fragment) const {
  ShardMap map;
  for (const auto& range : ranges_) {
    const auto last = fragment.begin + fragment.size;
    map.ranges_.push_back({std::clamp(range.begin, fragment.begin, last) - fragment.begin,
                           std::clamp(range.end, fragment.begin, last) - fragment.begin});
  }
  return map;
}

Block ShardMap::part_of(const Block& whole, std::size_t shard) const {
  if (ranges_.size() == 1 || whole.empty())
    return whole;
  const auto& range = ranges_[shard];
  return Block::copy_of(whole.view().subspan(static_cast<std::size_t>(range.begin),
                                             static_cast<std::size_t>(range.size())));
}

Block ShardMap::joined(std::vector<Block> parts) const {
  if (parts.size() == 1)
    return std::move(parts.front());
  auto whole = Block::uninitialized(ranges_.back().end);
  const auto out = whole.edit();
  for (std::size_t shard = 0; shard < parts.size(); ++shard) {
    const auto part = parts[shard].view();
    std::copy(part.begin(), part.end(), out.begin() + ranges_[shard].begin);
  }
  return whole;
}

} // namespace troupe
