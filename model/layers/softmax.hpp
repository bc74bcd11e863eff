#pragma once

#include "model/layers/layer.hpp"

namespace troupe {

/// Softmax over the last size, y_j = exp(x_j) / sum_k exp(x_k);
/// dx_j = y_j (dy_j - sum_k dy_k y_k). Bridle, "Probabilistic interpretation of feedforward
/// classification network outputs", 1990.
///
/// Do not put it before the loss softmax_cross_entropy, which applies its own softmax.
template <class Scalar>
class SoftmaxLayer : public Layer<Scalar> {
public:
  std::string kind() const override { return "softmax"; }
  /// @throws std::invalid_argument unless the input is [any, ..., width]
  Shape connect(const Shape& input, const std::string& prefix, Layout& layout) override;
  void initialize(std::span<Scalar>, RandomKey) const override {}
  void forward(std::span<const Scalar> parameters, std::span<const Scalar> x,
               std::span<Scalar> y) override;
  void backward(const BackwardPass<Scalar>& pass) override;
  bool in_place() const override { return true; }
  bool supports_padding() const override { return true; }
  bool mixes_last_size() const override { return true; }
  std::unique_ptr<Layer<Scalar>> clone() const override;

private:
  std::size_t width_ = 0;
};

} // namespace troupe
