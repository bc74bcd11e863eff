// A range of the parameters, which workers may share apart from the others.
#pragma once

#include "base/fields.hpp"
#include "model/tensor/block.hpp"
#include "model/tensor/layout.hpp"

namespace troupe {

/// Into which workers cut their parameters at most.
inline constexpr Index most_fragments = 1024;

/// Elements of a block from `begin` on; by default all of it.
struct Fragment {
  static constexpr Index all = -1;

  Index begin = 0;  ///< the first element
  Index size = all; ///< elements; 0: none, as at a holder that keeps another range
  TROUPE_FIELDS(begin, size);

  bool is_whole() const { return size == all; }
  /// Its elements in a block of `whole`.
  Index size_in(Index whole) const { return is_whole() ? whole : size; }
  /// Whether it lies in a block of `whole` elements.
  bool lies_in(Index whole) const {
    return is_whole() || (begin >= 0 && size >= 0 && begin <= whole && size <= whole - begin);
  }
};

/// The layout of a fragment alone. A parameter that is cut appears as "name[begin:end)",
/// one-dimensional; a whole one keeps its name and shape. @pre the fragment lies in the layout
Layout layout_of(const Layout& layout, const Fragment& fragment);

/// A copy of a block's fragment; of a whole one, the block itself. @pre it lies in the block
Block part_of(const Block& block, const Fragment& fragment);
/// Replaces a fragment. @pre `part` has its size
void replace_part(Block& block, const Fragment& fragment, Block part);

} // namespace troupe
