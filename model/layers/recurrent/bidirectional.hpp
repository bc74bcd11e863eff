#pragma once

#include "model/layers/recurrent/recurrent.hpp"
#include "model/tensor/buffer.hpp"

#include <array>

namespace troupe {

/// Two recurrent layers of the same kind side by side: one reads from left to right, the other from
/// right to left. Schuster & Paliwal, "Bidirectional recurrent neural networks", IEEE Transactions
/// on Signal Processing 45 (11), 1997.
///
///   x  [any, length, inputs]
///   y  [any, length, 2 hidden], or [any, 2 hidden] where `last` is set: the output of the first
///      layer, then that of the second, as in PyTorch
///
/// Parameters: those of both, "<prefix>.forward.weight", "<prefix>.backward.weight", ... The last
/// state of the second layer is the one at the left end. Both skip padding.
template <class Recurrent>
class BidirectionalLayer : public Layer<typename Recurrent::Number> {
public:
  using Scalar = typename Recurrent::Number;

  /// @param options of both layers; `reverse` must be false
  /// @throws std::invalid_argument for options out of range
  BidirectionalLayer(Index hidden, const RecurrentOptions& options);

  std::string kind() const override { return directions_[0].kind(); }
  Shape connect(const Shape& input, const std::string& prefix, Layout& layout) override;
  void initialize(std::span<Scalar> parameters, RandomKey key) const override;
  void begin(const PassContext& context) override;
  void forward(std::span<const Scalar> parameters, std::span<const Scalar> x,
               std::span<Scalar> y) override;
  void backward(const BackwardPass<Scalar>& pass) override;
  bool needs_output() const override { return false; }
  bool supports_padding() const override { return true; }
  std::unique_ptr<Layer<Scalar>> clone() const override;

private:
  std::array<Recurrent, 2> directions_; ///< left to right, right to left
  Index hidden_;
  Buffer<Scalar> half_;           ///< y or dy of one direction
  Buffer<Scalar> input_gradient_; ///< dx of the second
};

} // namespace troupe
