// Parameters as a dict of arrays.
#pragma once

#include "model/tensor/block.hpp"
#include "model/tensor/layout.hpp"
#include "python/native/kept.hpp"

namespace troupe::python {

/// Read-only arrays over a block, by name; empty for a block that is not of the layout. They keep
/// the block: no copy.
inline py::dict named_arrays(const Layout& layout, const Block& block) {
  py::dict arrays;
  if (block.size() != layout.size())
    return arrays;
  const auto owner = std::make_shared<const Block>(block);
  for (const auto& parameter : layout.parameters())
    arrays[parameter.name.c_str()]
      = array_over<float>(owner->view().subspan(static_cast<std::size_t>(parameter.offset),
                                                static_cast<std::size_t>(parameter.size())),
                          {parameter.shape.begin(), parameter.shape.end()}, owner);
  return arrays;
}

} // namespace troupe::python
