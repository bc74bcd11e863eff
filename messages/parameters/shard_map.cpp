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
  const auto& range = ranges_[shard];
  Layout layout;
  for (const auto& parameter : layout_.parameters()) {
    const auto begin = std::max(range.begin, parameter.offset) - parameter.offset;
    const auto end = std::min(range.end, parameter.offset + parameter.size()) - parameter.offset;
    if (begin >= end)
      continue;
    if (end - begin == parameter.size())
      layout.add(parameter.name, parameter.shape, parameter.role);
    else
      layout.add(parameter.name + "[" + std::to_string(begin) + ":" + std::to_string(end) + ")",
                 {end - begin}, parameter.role);
  }
  return layout;
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
  auto whole = Block::uninitialized(layout_.size());
  const auto out = whole.edit();
  for (std::size_t shard = 0; shard < parts.size(); ++shard) {
    const auto part = parts[shard].view();
    std::copy(part.begin(), part.end(), out.begin() + ranges_[shard].begin);
  }
  return whole;
}

} // namespace troupe
