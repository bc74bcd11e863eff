#include "extensions/sync/fragment_cycle.hpp"

#include "messages/parameters/shard_map.hpp"

namespace troupe {

FragmentCycle::FragmentCycle(const Layout& layout, std::size_t count, bool in_rounds)
  : in_rounds_(in_rounds) {
  if (count < 2)
    return;
  fragments_.clear();
  const ShardMap map{layout, count};
  for (std::size_t place = 0; place < count; ++place)
    fragments_.push_back({map.range(place).begin, map.range(place).size()});
}

Block with_progress(const Block& answer, const Block& pushed, const Block& own,
                    const Layout& layout) {
  auto result = Block::copy_of(answer.view());
  const auto out = result.edit();
  const auto before = pushed.view(), now = own.view();
  for (const auto& parameter : layout.parameters()) {
    if (is_measured(parameter.role))
      continue;
    const auto end = static_cast<std::size_t>(parameter.offset + parameter.size());
    for (auto i = static_cast<std::size_t>(parameter.offset); i < end; ++i)
      out[i] += now[i] - before[i];
  }
  return result;
}

} // namespace troupe
