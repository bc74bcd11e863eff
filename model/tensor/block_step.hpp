#pragma once

#include "model/tensor/block.hpp"

namespace troupe {

/// Updates a block element by element. If no other block shares its buffer, old and new state
/// are the same memory; otherwise the new state gets new memory, without a copy first. Use it from
/// one thread at a time.
class BlockStep {
public:
  /// `block` becomes the new state; the caller must write all of its elements.
  explicit BlockStep(Block& block);

  const float* before() const { return before_; }
  float* after() const { return after_; }

private:
  Block kept_; ///< keeps a shared old state alive while it is read
  const float* before_;
  float* after_;
};

} // namespace troupe
