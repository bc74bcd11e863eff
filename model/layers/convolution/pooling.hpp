#pragma once

#include "model/layers/convolution/windows.hpp"
#include "model/layers/layer.hpp"
#include "model/tensor/buffer.hpp"

namespace troupe {

struct PoolingOptions {
  Index size = 2;    ///< size of the window along each axis
  Index stride = 0;  ///< positions from one window to the next; 0: `size`, windows do not overlap
  Index padding = 0; ///< positions around the image on each side
  TROUPE_FIELDS(size, stride, padding);
};

/// One number for each window and channel.
///
///   x  [any, height, width, channels]      y  [any, height', width', channels]
///   x  [any, length, channels]             y  [any, length', channels]
///
/// with height' = (height + 2 padding - size) / stride + 1, rounded down.
template <class Scalar>
class PoolingLayer : public Layer<Scalar> {
public:
  Shape connect(const Shape& input, const std::string& prefix, Layout& layout) override;
  void initialize(std::span<Scalar>, RandomKey) const override {}
  bool needs_output() const override { return false; }

  const PoolingOptions& options() const { return options_; }

protected:
  explicit PoolingLayer(PoolingOptions options) : options_(options) {}

  /// Calls window(offset in y, offset of the first number in x, rows, positions per row) for each
  /// window of the image, without its padding.
  template <class Function>
  void each_window(Index image, Function window) const;
  /// Sets the image's numbers to 0.
  void clear(Index image, std::span<Scalar> images) const;
  Index images(std::span<const Scalar> x) const;

  PoolingOptions options_;
  WindowAxis y_, x_;
  Index channels_ = 1;
};

/// The largest number in each window; its gradient goes to the first position that has it. Padding
/// is never the largest. Ranzato et al., "Unsupervised learning of invariant feature hierarchies",
/// CVPR 2007, section 2.
template <class Scalar>
class MaxPoolingLayer : public PoolingLayer<Scalar> {
public:
  explicit MaxPoolingLayer(PoolingOptions options = {}) : PoolingLayer<Scalar>(options) {}

  std::string kind() const override { return "max_pooling"; }
  void forward(std::span<const Scalar> parameters, std::span<const Scalar> x,
               std::span<Scalar> y) override;
  void backward(const BackwardPass<Scalar>& pass) override;
  std::unique_ptr<Layer<Scalar>> clone() const override;

private:
  Buffer<std::int32_t> largest_; ///< for each y, the position in its image that it comes from
};

/// The mean of the numbers in each window, without padding. LeCun et al., Proc. IEEE 86, 1998,
/// section II.B, without its coefficients.
template <class Scalar>
class AveragePoolingLayer : public PoolingLayer<Scalar> {
public:
  explicit AveragePoolingLayer(PoolingOptions options = {}) : PoolingLayer<Scalar>(options) {}

  std::string kind() const override { return "average_pooling"; }
  void forward(std::span<const Scalar> parameters, std::span<const Scalar> x,
               std::span<Scalar> y) override;
  void backward(const BackwardPass<Scalar>& pass) override;
  std::unique_ptr<Layer<Scalar>> clone() const override;
};

} // namespace troupe
