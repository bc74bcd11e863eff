#pragma once

#include "model/layers/layer.hpp"
#include "model/layers/relu.hpp"
#include "model/tensor/buffer.hpp"

namespace troupe {

struct BatchNormOptions {
  double epsilon = 1e-5; ///< added to variances, > 0
  double momentum = 0.1; ///< weight of a batch in the running statistics, in (0, 1]
  TROUPE_FIELDS(epsilon, momentum);
};

/// Batch normalization of each channel, the last dimension of the input; m is examples times
/// positions:
///
///   y = weight (x - mean) / sqrt(variance + epsilon) + bias
///
/// In training, mean and variance are those of the batch; otherwise the running ones, which are
/// statistics in the block (ParameterRole) and change by
///
///   running <- running + momentum (batch statistic - running),  with the variance over m - 1.
///
///   x, y  [any, ..., channels]    weight, bias, mean, variance  [channels]  "<prefix>.weight", ...
///
/// Ioffe & Szegedy, "Batch normalization", ICML 2015, algorithms 1 and 2; running averages as in
/// PyTorch. Update rules average the running statistics of several workers as they do parameters.
template <class Scalar>
class BatchNormLayer : public Layer<Scalar>, public Rectifying {
public:
  /// @throws std::invalid_argument for options out of range
  explicit BatchNormLayer(BatchNormOptions options = {});

  std::string kind() const override { return "batch_norm"; }
  Shape connect(const Shape& input, const std::string& prefix, Layout& layout) override;
  void initialize(std::span<Scalar> parameters, RandomKey key) const override;
  void begin(const PassContext& context) override { training_ = context.training; }
  void forward(std::span<const Scalar> parameters, std::span<const Scalar> x,
               std::span<Scalar> y) override;
  void backward(const BackwardPass<Scalar>& pass) override;
  bool needs_output() const override { return false; }
  bool mixes_examples() const override { return true; }
  void rectify() override { rectifies_ = true; }
  std::unique_ptr<Layer<Scalar>> clone() const override;

  const BatchNormOptions& options() const { return options_; }

private:
  void measure(std::span<const Scalar> x);
  template <class Function>
  void with_rectifying(Function function) const;

  BatchNormOptions options_;
  Index channels_ = 0;
  Index weight_ = 0, bias_ = 0, mean_ = 0, variance_ = 0; ///< offsets in the block
  bool training_ = false;
  bool rectifies_ = false; ///< y = max(y, 0)
  // Per channel, of the last forward pass; in double, because sums go over many numbers.
  Buffer<double> means_, variances_;
  Buffer<Scalar> centers_; ///< means
  Buffer<Scalar> scales_;  ///< 1 / sqrt(variance + epsilon)
  Buffer<Scalar> factors_; ///< weight times scale
  Buffer<Scalar> biases_;
  Buffer<double> sums_, moments_;  ///< backward: of dy, and of dy times the normalized x
  Buffer<Scalar> shifts_, slopes_; ///< backward: dx = factor dy - shift - slope (x - center)
};

} // namespace troupe
