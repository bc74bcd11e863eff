#pragma once

#include "model/tensor/block.hpp"

namespace troupe {

/// A block on its way from one state to the next, element by element: where nobody else reads it,
/// both are the same memory; else the next state is new memory and the others keep what they have,
/// so that no pass over it is spent on a copy. One thread at a time.
class BlockStep {
public:
  /// `block` becomes the next state, whose elements are to be written, all of them.
  explicit BlockStep(Block& block);

  const float* before() const { return before_; }
  float* after() const { return after_; }

private:
  Block kept_; ///< what others read, as long as it is read here
  const float* before_;
  float* after_;
};

} // namespace troupe
