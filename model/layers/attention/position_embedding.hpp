#pragma once

#include "model/layers/layer.hpp"

namespace troupe {

/// Adds a learned vector to each position of a sequence, y = x + P for every example. Gehring et
/// al., "Convolutional sequence to sequence learning", arXiv:1705.03122, section 3.1.
///
///   x, y  [any, length, width]     P  [length, width]   "<prefix>.weight"
template <class Scalar>
class PositionEmbeddingLayer : public Layer<Scalar> {
public:
  /// @param deviation standard deviation of the initial weights, which are normal with mean 0;
  ///        GPT-2 uses 0.02
  explicit PositionEmbeddingLayer(double deviation = 0.02) : deviation_(deviation) {}

  std::string kind() const override { return "position_embedding"; }
  Shape connect(const Shape& input, const std::string& prefix, Layout& layout) override;
  void initialize(std::span<Scalar> parameters, RandomKey key) const override;
  void forward(std::span<const Scalar> parameters, std::span<const Scalar> x,
               std::span<Scalar> y) override;
  void backward(const BackwardPass<Scalar>& pass) override;
  bool in_place() const override { return true; }
  bool needs_output() const override { return false; }
  bool supports_padding() const override { return true; }
  std::unique_ptr<Layer<Scalar>> clone() const override;

private:
  double deviation_;
  std::string prefix_;
  Index size_ = 0;   ///< numbers per example, length * width
  Index weight_ = 0; ///< offset in the block
};

} // namespace troupe
