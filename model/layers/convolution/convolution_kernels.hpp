#pragma once

#include "model/layers/convolution/direct_convolution.hpp"
#include "model/layers/convolution/library_convolution.hpp"
#include "model/layers/convolution/pointwise_convolution.hpp"

namespace troupe {

/// The arithmetic of a convolution, each pass by the kernels that are fastest for its shape:
/// products for windows of one position, else the library's or our own.
template <class Scalar>
class ConvolutionKernels {
public:
  ConvolutionKernels() = default;
  ConvolutionKernels(const Windows& windows, Index outputs);

  /// y = b + windows(x) W, where each group of output channels sees its group of x's channels only
  void forward(const Scalar* w, const Scalar* b, std::span<const Scalar> x, Scalar* y);
  /// dw = windows(x)' dy and db = 1' dy
  void backward_parameters(std::span<const Scalar> x, const Scalar* dy, Scalar* dw, Scalar* db);
  /// dx = for each number of x, the sum of dy W' over all windows that cover it
  void backward_input(const Scalar* w, const Scalar* dy, std::span<Scalar> dx);

private:
  template <class Function>
  void with_kernels(ConvolutionPass pass, Function function);

  Windows windows_;
  Index outputs_ = 0;
  PointwiseConvolution<Scalar> pointwise_;
  LibraryConvolution library_;
  DirectConvolution<Scalar> direct_;
};

} // namespace troupe
