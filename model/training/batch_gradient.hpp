#pragma once

#include "model/kernels/gradient_product.hpp"
#include "model/optimizers/optimizer.hpp"
#include "model/tensor/buffer.hpp"
#include "model/tensor/layout.hpp"

#include <span>

namespace troupe {

/// The gradient of a batch. Products that the model has left out are made when somebody wants the
/// gradient; if nobody does, they are made some rows at a time, each part for the update that uses
/// it at once, and never lie in memory as a whole.
///
/// Whoever looks changes no bit: the products are made in the same parts.
class BatchGradient {
public:
  explicit BatchGradient(Index size) : size_(static_cast<std::size_t>(size)) {}

  /// Forgets what was left out, and gives memory for the next batch's gradient.
  std::span<float> begin();
  /// For the model, to be filled after begin().
  GradientProducts<float>& left_out() { return left_out_; }

  /// The batch that it is of will be no more: what is still left out cannot be made.
  void lose_batch() { lost_ = true; }

  /// Makes what was left out; 0 after lose_batch(). Zeros before the first batch.
  std::span<float> whole();

  /// edges_finite() of what was made; of what was not, whether what it is made of is finite.
  bool looks_finite(const Layout& layout) const;
  /// Takes the memory that give_to() needs, so that no step fails halfway; that of what is only
  /// made there goes back to the system.
  void prepare_update();
  /// Moves all elements. @pre prepare_update()
  void give_to(StepInParts& step);

  /// Bytes of its memory that the batch at hand had no need of.
  std::uint64_t unused_bytes() const;

private:
  std::span<float> range(Index begin, Index end);

  std::size_t size_;
  Buffer<float> values_;
  GradientProducts<float> left_out_;
  bool lost_ = false;   ///< what they are made of
  bool written_ = true; ///< some memory of what was left out, if only the rest of a large page
  Buffer<float> part_;  ///< rows of one product
};

} // namespace troupe
