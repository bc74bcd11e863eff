#pragma once

#include "model/layers/convolution/convolution_kernels.hpp"
#include "model/layers/layer.hpp"

namespace troupe {

struct ConvolutionOptions {
  Index channels = 1; ///< of the output
  Index kernel = 3;   ///< size of the window along each axis
  Index stride = 1;   ///< positions from one window to the next
  Index padding = 0;  ///< zeros around the image on each side; (kernel - 1) / 2 keeps its size
  Index dilation = 1; ///< positions between neighbouring numbers of a window
  Index groups = 1; ///< groups of input and output channels, each with its own weights; as many as
                    ///< channels: a depthwise convolution
  std::string initializer = "he_normal"; ///< see initializers.hpp
  TROUPE_FIELDS(channels, kernel, stride, padding, dilation, groups, initializer);
};

/// Convolution (cross-correlation) of images, "conv2d", or of sequences, "conv1d":
///
///   y[i, j, o] = b[o] + sum over u, v, c of  x[i s + u d - p, j s + v d - p, c]  W[u, v, c, o]
///
///   conv2d  x  [any, height, width, channels], one channel also as [any, height, width]
///           y  [any, height', width', outputs],  height' = (height + 2 p - d (k - 1) - 1) / s + 1
///           W  [k, k, channels / groups, outputs]  "<prefix>.weight",  b  [outputs]
///           "<prefix>.bias"
///   conv1d  x  [any, length, channels] or [any, length],  W  [k, channels / groups, outputs]
///
/// LeCun et al., "Gradient-based learning applied to document recognition", Proc. IEEE 86, 1998,
/// section II. convolution_kernels.hpp has the arithmetic.
template <class Scalar>
class ConvolutionLayer : public Layer<Scalar> {
public:
  /// @param dimensions 1 or 2
  /// @throws std::invalid_argument for options out of range
  ConvolutionLayer(int dimensions, ConvolutionOptions options);

  std::string kind() const override { return dimensions_ == 1 ? "conv1d" : "conv2d"; }
  Shape connect(const Shape& input, const std::string& prefix, Layout& layout) override;
  void initialize(std::span<Scalar> parameters, RandomKey key) const override;
  void forward(std::span<const Scalar> parameters, std::span<const Scalar> x,
               std::span<Scalar> y) override;
  void backward(const BackwardPass<Scalar>& pass) override;
  bool needs_output() const override { return false; }
  std::unique_ptr<Layer<Scalar>> clone() const override;

  int dimensions() const { return dimensions_; }
  const ConvolutionOptions& options() const { return options_; }

private:
  int dimensions_;
  ConvolutionOptions options_;
  Windows windows_;
  std::string prefix_;
  Index weight_ = 0, bias_ = 0; ///< offsets in the block
  ConvolutionKernels<Scalar> convolution_;
};

} // namespace troupe
