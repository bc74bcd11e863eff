#pragma once

#include "model/kernels/gradient_product.hpp"
#include "model/optimizers/optimizer.hpp"
#include "model/tensor/buffer.hpp"
#include "model/tensor/layout.hpp"

#include <span>

namespace troupe {

/// The gradient of a batch, with deferred products. A caller that asks for the gradient gets all of
/// it. Otherwise each product is computed some rows at a time, and each part goes to its update at
/// once, so the product is never in memory as a whole.
///
/// The bits are the same either way: the products are computed in the same parts.
class BatchGradient {
public:
  /// @param size elements of the block of parameters
  explicit BatchGradient(Index size) : size_(static_cast<std::size_t>(size)) {}

  /// Drops the deferred products, and gives memory for the next batch's gradient.
  std::span<float> begin();
  /// For the model, to be filled after begin().
  GradientProducts<float>& deferred() { return deferred_; }

  /// The batch goes away: products that are still deferred can no longer be computed.
  void discard_batch() { lost_ = true; }

  /// Computes deferred products, as 0 after discard_batch(). Zeros before the first batch.
  std::span<float> whole();

  /// edges_finite() of the computed part; for deferred products, whether their factors are finite.
  bool looks_finite(const Layout& layout) const;
  /// Takes the memory that apply_to() needs, so that no step fails halfway; memory of the products
  /// that are computed there goes back to the system.
  void prepare_update();
  /// Moves all elements. @pre prepare_update()
  void apply_to(StepInParts& step);

  /// Bytes of its memory that the current batch did not use.
  std::uint64_t unused_bytes() const;

private:
  std::span<float> range(Index begin, Index end);

  std::size_t size_;
  Buffer<float> values_;
  GradientProducts<float> deferred_;
  bool lost_ = false;   ///< the factors of the deferred products
  bool written_ = true; ///< some memory of deferred products, if only the rest of a large page
  Buffer<float> part_;  ///< some rows of one product
};

} // namespace troupe
