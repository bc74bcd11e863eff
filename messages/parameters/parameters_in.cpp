#include "messages/parameters/parameters_in.hpp"

namespace troupe {

Block parameters_in(const Block& shared, Index parameters) {
  if (shared.size() <= parameters)
    return shared;
  return Block::copy_of(shared.view().first(static_cast<std::size_t>(parameters)));
}

} // namespace troupe
