#include "model/layers/convolution/convolution_kernels.hpp"

#include <type_traits>

namespace troupe {

template <class Scalar>
ConvolutionKernels<Scalar>::ConvolutionKernels(const Windows& windows, Index outputs)
  : windows_(windows),
    outputs_(outputs),
    pointwise_(windows, outputs),
    library_(windows, outputs),
    direct_(windows, outputs) {}

/// Calls function(kernels) with the fastest ones.
template <class Scalar>
template <class Function>
void ConvolutionKernels<Scalar>::with_kernels(ConvolutionPass pass, Function function) {
  if (PointwiseConvolution<Scalar>::suits(windows_))
    return function(pointwise_);
  if constexpr (std::is_same_v<Scalar, float>)
    if (worth_library_convolution(windows_, outputs_, pass))
      return function(library_);
  function(direct_);
}

template <class Scalar>
void ConvolutionKernels<Scalar>::forward(const Scalar* w, const Scalar* b,
                                         std::span<const Scalar> x, Scalar* y) {
  with_kernels(ConvolutionPass::forward, [&](auto& kernels) { kernels.forward(w, b, x, y); });
}

template <class Scalar>
void ConvolutionKernels<Scalar>::backward_parameters(std::span<const Scalar> x, const Scalar* dy,
                                                     Scalar* dw, Scalar* db) {
  with_kernels(ConvolutionPass::backward_parameters,
               [&](auto& kernels) { kernels.backward_parameters(x, dy, dw, db); });
}

template <class Scalar>
void ConvolutionKernels<Scalar>::backward_input(const Scalar* w, const Scalar* dy,
                                                std::span<Scalar> dx) {
  with_kernels(ConvolutionPass::backward_input,
               [&](auto& kernels) { kernels.backward_input(w, dy, dx); });
}

template class ConvolutionKernels<float>;
template class ConvolutionKernels<double>;

} // namespace troupe
