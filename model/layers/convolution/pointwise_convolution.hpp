#pragma once

#include "model/layers/convolution/windows.hpp"
#include "model/tensor/buffer.hpp"

#include <span>

namespace troupe {

/// The arithmetic of a convolution whose windows are single positions: products of the images'
/// positions with the weights. Images are read in place; with a stride the positions that windows
/// look at are gathered first.
///
///   x  [images, height, width, channels]        W  [channels, outputs]
///   y  [images, windows.positions(), outputs]   b  [outputs]
template <class Scalar>
class PointwiseConvolution {
public:
  PointwiseConvolution() = default;
  /// @pre suits(windows)
  PointwiseConvolution(const Windows& windows, Index outputs);

  /// Whether the windows are single positions, without padding and groups.
  static bool suits(const Windows& windows);

  /// y = x W + b
  void forward(const Scalar* w, const Scalar* b, std::span<const Scalar> x, Scalar* y);
  /// dw = x' dy and db = 1' dy
  void backward_parameters(std::span<const Scalar> x, const Scalar* dy, Scalar* dw, Scalar* db);
  /// dx = dy W' where windows look, else 0
  void backward_input(const Scalar* w, const Scalar* dy, std::span<Scalar> dx);

private:
  bool strided() const { return windows_.x.stride > 1 || windows_.y.stride > 1; }
  template <class Function>
  void each_place(Function function) const;
  const Scalar* gathered(const Scalar* x, Index first, Index count);
  template <class Function>
  void each_piece(std::size_t numbers, Function function) const;

  Windows windows_;
  Index outputs_ = 0;
  Buffer<Scalar> positions_; ///< the gathered ones of a piece
};

} // namespace troupe
