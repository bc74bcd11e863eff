#pragma once

#include "messages/parameters/fragment.hpp"
#include "model/codecs/block_mirror.hpp"

#include <cstddef>
#include <map>

namespace troupe {

/// What a worker has received, one block for each fragment that it exchanges.
class FragmentMirrors {
public:
  /// One that was not received yet is empty. Valid until the next call.
  BlockMirror& of(const Fragment& fragment) {
    if (mirrors_.size() > static_cast<std::size_t>(most_fragments)) // no worker has as many
      mirrors_.clear();
    return mirrors_[fragment.begin];
  }

private:
  std::map<Index, BlockMirror> mirrors_; ///< by the fragment's first element
};

} // namespace troupe
