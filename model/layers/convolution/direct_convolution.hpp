#pragma once

#include "model/layers/convolution/windows.hpp"
#include "model/tensor/buffer.hpp"

#include <span>
#include <vector>

namespace troupe {

/// The arithmetic of a convolution, directly on the images: the sums of some adjacent windows and
/// output channels stay in registers while the numbers under the windows stream through. The matrix
/// of the windows, `columns()` times the image, is never written.
///
///   x  [images, height, width, channels]        W  [windows.columns(), outputs]
///   y  [images, windows.positions(), outputs]   b  [outputs]
///
/// Georganas et al., "Anatomy of high-performance deep learning convolutions on SIMD
/// architectures", SC 2018, section II; here with general loops instead of code generated for one
/// size. Keeps memory for the weights and one image, whatever the batch; allocates in the first
/// calls only.
template <class Scalar>
class DirectConvolution {
public:
  DirectConvolution() = default;
  DirectConvolution(const Windows& windows, Index outputs);

  /// y = b + windows(x) W, where each group of output channels sees its group of x's channels only
  void forward(const Scalar* w, const Scalar* b, std::span<const Scalar> x, Scalar* y);
  /// dw = windows(x)' dy and db = 1' dy
  void backward_parameters(std::span<const Scalar> x, const Scalar* dy, Scalar* dw, Scalar* db);
  /// dx = for each number of x, the sum of dy W' over all windows that cover it
  void backward_input(const Scalar* w, const Scalar* dy, std::span<Scalar> dx);

private:
  Index images(std::size_t numbers) const;
  Index padded_size() const { return (windows_.y.length + 2 * windows_.y.padding) * line_; }
  const Scalar* padded(const Scalar* image);
  template <class Function>
  void each_strip(const Scalar* image, Function function) const;
  void pack_weights(const Scalar* w, const Scalar* b);
  void forward_wide(const Scalar* image, Index group, Scalar* y) const;
  void forward_narrow(const Scalar* image, const Scalar* b, Index group, Scalar* y) const;
  Index gradients_size() const;
  void add_wide_gradients(const Scalar* image, const Scalar* dy, Scalar* gradients) const;
  void add_narrow_gradients(const Scalar* image, const Scalar* dy, Scalar* gradients,
                            Scalar* db) const;
  void write_gradients(const Scalar* gradients, Scalar* dw, Scalar* db) const;
  void transpose_weights(const Scalar* w, Index channels, Index widest,
                         Buffer<Scalar>& packed) const;
  void add_products(const Scalar* dy, const Scalar* transposed_weights, Scalar* image) const;

  Windows windows_;
  Index outputs_ = 0;
  Index in_ = 0, out_ = 0;         ///< channels of a group
  Index narrow_ = 0;               ///< of out_, the last ones, which are computed separately
  Index wide_ = 0;                 ///< the others
  Index down_ = 0, across_ = 0;    ///< number of window positions
  Index line_ = 0;                 ///< numbers in a line of the padded image
  Index line_step_ = 0, step_ = 0; ///< distance to the windows of the next line, to the next window
  std::vector<Index> runs_;        ///< offsets where the adjacent numbers of a window begin
  Index run_length_ = 0;
  Buffer<Scalar> image_;                        ///< one image, with padding around it
  Buffer<Scalar> weights_, biases_, gradients_; ///< as panels (panels.hpp)
  /// For each group: the weights of its narrow channels, and all its weights.
  std::vector<Buffer<Scalar>> narrow_weights_, transposed_weights_;
};

} // namespace troupe
