#pragma once

#include "model/tensor/buffer.hpp"
#include "model/tensor/layout.hpp"

#include <span>
#include <vector>

namespace troupe {

/// What the optimizer must not move in a block of parameters: frozen elements and what is measured.
///
///   frozen:     p <- p
///   statistic, carried:  p <- p + g, where g lies in its place in the gradient
///
/// Optimizers go over the whole block, so that their slots are as long as it is; `take` before the
/// step and `put` after it keep these elements out. Nothing happens where all are trained.
class HeldElements {
public:
  HeldElements() = default;
  explicit HeldElements(const Layout& layout);

  bool empty() const { return ranges_.empty(); }

  /// Notes what each of them will be after the step, and sets its gradient to 0, so that it counts
  /// for no norm. Both spans are as long as the layout.
  void take(std::span<const float> parameters, std::span<float> gradient);
  /// Writes what `take` noted.
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
