#pragma once

#include "model/tensor/buffer.hpp"
#include "model/tensor/layout.hpp"

#include <span>
#include <vector>

namespace troupe {

/// The elements of a block that the optimizer must not move: frozen and measured ones.
///
///   frozen:     p <- p
///   statistic, carried:  p <- p + g, where g is at the same place in the gradient
///
/// Optimizers process the whole block, so that their slots have its length; `take` before the step
/// and `put` after it protect these elements. Does nothing if all are trained.
class UntrainedElements {
public:
  UntrainedElements() = default;
  explicit UntrainedElements(const Layout& layout);

  bool empty() const { return ranges_.empty(); }

  /// Computes the values after the step and sets their gradient to 0, so that it adds to no norm.
  /// Both spans are as long as the layout.
  void take(std::span<const float> parameters, std::span<float> gradient);
  /// Writes the values that `take` computed.
  void put(std::span<float> parameters) const;

private:
  struct Range {
    std::size_t begin = 0, size = 0; ///< in the block
    ParameterRole role = ParameterRole::trained;
  };
  std::vector<Range> ranges_;
  Buffer<float> values_; ///< of all ranges, one after the other
};

} // namespace troupe
