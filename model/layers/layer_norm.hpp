#pragma once

#include "model/layers/layer.hpp"
#include "model/tensor/buffer.hpp"

namespace troupe {

/// Layer normalization over the last dimension, with the population variance:
///
///   n = (x - mean(x)) / sqrt(var(x) + epsilon)     y = g * n + b
///
///   x, y  [any, ..., width]     g  [width]   "<prefix>.weight", first 1
///                               b  [width]   "<prefix>.bias", first 0
///
/// Ba, Kiros & Hinton, "Layer normalization", arXiv:1607.06450, eq. 4.
template <class Scalar>
class LayerNormLayer : public Layer<Scalar> {
public:
  /// @throws std::invalid_argument unless epsilon > 0
  explicit LayerNormLayer(double epsilon = 1e-5);

  std::string kind() const override { return "layer_norm"; }
  Shape connect(const Shape& input, const std::string& prefix, Layout& layout) override;
  void initialize(std::span<Scalar> parameters, RandomKey key) const override;
  void begin(const PassContext& context) override { keeps_ = context.forward_scratch() == nullptr; }
  void forward(std::span<const Scalar> parameters, std::span<const Scalar> x,
               std::span<Scalar> y) override;
  void backward(const BackwardPass<Scalar>& pass) override;
  bool in_place() const override { return true; }
  bool needs_output() const override { return false; }
  bool supports_padding() const override { return true; }
  bool mixes_last_size() const override { return true; }
  std::unique_ptr<Layer<Scalar>> clone() const override;

  double epsilon() const { return epsilon_; }

private:
  double epsilon_;
  Index width_ = 0;
  Index weight_ = 0, bias_ = 0; ///< offsets in the block
  bool keeps_ = true;           ///< n, for backward
  Buffer<Scalar> normalized_;   ///< n, [rows, width]
  Buffer<Scalar> scale_;        ///< 1 / sqrt(var + epsilon), [rows]
};

} // namespace troupe
