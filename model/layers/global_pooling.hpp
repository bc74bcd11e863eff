#pragma once

#include "model/layers/layer.hpp"

namespace troupe {

/// The mean of each channel over all positions: y_c = mean_p x_pc; dx_pc = dy_c / positions.
///
///   x  [any, ..., channels]      y  [any, channels]
///
/// Lin, Chen & Yan, "Network in network", ICLR 2014, section 3.2.
template <class Scalar>
class GlobalPoolingLayer : public Layer<Scalar> {
public:
  std::string kind() const override { return "global_pooling"; }
  /// @throws std::invalid_argument unless the input has positions and channels
  Shape connect(const Shape& input, const std::string& prefix, Layout& layout) override;
  void initialize(std::span<Scalar>, RandomKey) const override {}
  void forward(std::span<const Scalar> parameters, std::span<const Scalar> x,
               std::span<Scalar> y) override;
  void backward(const BackwardPass<Scalar>& pass) override;
  bool needs_output() const override { return false; }
  std::unique_ptr<Layer<Scalar>> clone() const override;

private:
  Index places_ = 0, channels_ = 0;
};

} // namespace troupe
