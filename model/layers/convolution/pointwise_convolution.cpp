#include "model/layers/convolution/pointwise_convolution.hpp"

#include "model/kernels/product.hpp"

#include <algorithm>

namespace troupe {

namespace {

/// Numbers of x and y that are multiplied at once: half of an L2 cache as floats, so that biases
/// are added, and their gradients summed, while y is there.
constexpr Index numbers_at_once = Index{1} << 17;

} // namespace

template <class Scalar>
PointwiseConvolution<Scalar>::PointwiseConvolution(const Windows& windows, Index outputs)
  : windows_(windows),
    outputs_(outputs) {}

template <class Scalar>
bool PointwiseConvolution<Scalar>::suits(const Windows& windows) {
  return windows.groups == 1 && windows.y.kernel == 1 && windows.x.kernel == 1
         && windows.y.padding == 0 && windows.x.padding == 0;
}

/// Calls function(place) for the windows of an image: the numbers under one begin at `place`.
template <class Scalar>
template <class Function>
void PointwiseConvolution<Scalar>::each_place(Function function) const {
  const auto step = windows_.x.stride * windows_.channels;
  const auto line_step = windows_.y.stride * windows_.x.length * windows_.channels;
  for (Index line = 0; line < windows_.y.positions(); ++line)
    for (Index column = 0; column < windows_.x.positions(); ++column)
      function(line * line_step + column * step);
}

/// @param count of windows; with a stride those of whole images
/// @returns the numbers under the windows, [count, channels], valid until the next call
template <class Scalar>
const Scalar* PointwiseConvolution<Scalar>::gathered(const Scalar* x, Index first, Index count) {
  const auto channels = windows_.channels, each = windows_.positions();
  if (!strided())
    return x + first * channels;
  positions_.resize(static_cast<std::size_t>(count * channels));
  auto* to = positions_.data();
  for (auto image = first / each; image < (first + count) / each; ++image)
    each_place([&](Index place) {
      to = std::copy_n(x + image * windows_.image_size() + place, channels, to);
    });
  return positions_.data();
}

/// Calls function(first, count) for pieces of all windows of images with so many numbers; with a
/// stride each piece consists of whole images.
template <class Scalar>
template <class Function>
void PointwiseConvolution<Scalar>::each_piece(std::size_t numbers, Function function) const {
  const auto windows = static_cast<Index>(numbers) / windows_.image_size() * windows_.positions();
  const auto unit = strided() ? windows_.positions() : 64;
  const auto most
    = std::max<Index>(1, numbers_at_once / (windows_.channels + outputs_) / unit) * unit;
  for (Index first = 0; first < windows; first += most)
    function(first, std::min(most, windows - first));
}

template <class Scalar>
void PointwiseConvolution<Scalar>::forward(const Scalar* w, const Scalar* b,
                                           std::span<const Scalar> x, Scalar* y) {
  const auto in = windows_.channels, out = outputs_;
  each_piece(x.size(), [&](Index first, Index count) {
    auto* to = y + first * out;
    product({gathered(x.data(), first, count), count, in}, {w, in, out}, {to, count, out});
    for (Index i = 0; i < count; ++i, to += out)
      for (Index o = 0; o < out; ++o)
        to[o] += b[o];
  });
}

template <class Scalar>
void PointwiseConvolution<Scalar>::backward_parameters(std::span<const Scalar> x, const Scalar* dy,
                                                       Scalar* dw, Scalar* db) {
  const auto in = windows_.channels, out = outputs_;
  std::fill_n(db, out, Scalar{0});
  each_piece(x.size(), [&](Index first, Index count) {
    const auto* from = dy + first * out;
    product(transposed(Factor<Scalar>{gathered(x.data(), first, count), count, in}),
            {from, count, out}, {dw, in, out}, first > 0 ? WriteMode::add : WriteMode::replace);
    for (Index i = 0; i < count; ++i, from += out)
      for (Index o = 0; o < out; ++o)
        db[o] += from[o];
  });
}

template <class Scalar>
void PointwiseConvolution<Scalar>::backward_input(const Scalar* w, const Scalar* dy,
                                                  std::span<Scalar> dx) {
  const auto in = windows_.channels, out = outputs_;
  const auto weights = transposed(Factor<Scalar>{w, in, out});
  if (!strided()) {
    const auto rows = static_cast<Index>(dx.size()) / in;
    product({dy, rows, out}, weights, {dx.data(), rows, in});
    return;
  }
  each_piece(dx.size(), [&](Index first, Index count) {
    positions_.resize(static_cast<std::size_t>(count * in));
    product({dy + first * out, count, out}, weights, {positions_.data(), count, in});
    const auto* from = positions_.data();
    const auto each = windows_.positions(), size = windows_.image_size();
    for (auto image = first / each; image < (first + count) / each; ++image) {
      auto* to = dx.data() + image * size;
      std::fill_n(to, size, Scalar{0}); // just before use, while it is in a cache
      each_place([&](Index place) {
        std::copy_n(from, in, to + place);
        from += in;
      });
    }
  });
}

template class PointwiseConvolution<float>;
template class PointwiseConvolution<double>;

} // namespace troupe
