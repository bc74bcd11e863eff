#include "messages/parameters/fragment.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

Layout layout_of(const Layout& layout, const Fragment& fragment) {
  if (fragment.is_whole())
    return layout;
  Layout cut;
  for (const auto& parameter : layout.parameters()) {
    const auto from = parameter.offset, until = from + parameter.size();
    const auto begin = std::max(fragment.begin, from) - from;
    const auto end = std::min(fragment.begin + fragment.size, until) - from;
    if (begin >= end)
      continue;
    if (end - begin == parameter.size())
      cut.add(parameter.name, parameter.shape, parameter.role);
    else
      cut.add(parameter.name + "[" + std::to_string(begin) + ":" + std::to_string(end) + ")",
              {end - begin}, parameter.role);
  }
  return cut;
}

Block part_of(const Block& block, const Fragment& fragment) {
  if (fragment.is_whole())
    return block;
  return Block::copy_of(block.view().subspan(static_cast<std::size_t>(fragment.begin),
                                             static_cast<std::size_t>(fragment.size)));
}

void replace_part(Block& block, const Fragment& fragment, Block part) {
  if (fragment.is_whole()) {
    block = std::move(part);
    return;
  }
  const auto values = part.view();
  std::copy(values.begin(), values.end(), block.edit().begin() + fragment.begin);
}

} // namespace troupe
