// Sliding windows over images, for convolutions and pooling.
//
// An image lies in memory as [height, width, channels]: the channels of a position are adjacent.
#pragma once

#include "model/tensor/layout.hpp"

#include <string>

namespace troupe {

/// The positions of a window along one axis.
struct WindowAxis {
  Index length = 1; ///< of the image
  Index kernel = 1; ///< of the window, in steps of `dilation`
  Index stride = 1;
  Index padding = 0; ///< zeros on either side
  Index dilation = 1;

  Index positions() const { return (length + 2 * padding - reach()) / stride + 1; }
  Index reach() const { return (kernel - 1) * dilation + 1; }
  /// The image position of element `k` of the window at `position`; outside of 0 .. length - 1 it
  /// is padding.
  Index place(Index position, Index k) const { return position * stride - padding + k * dilation; }

  /// @throws std::invalid_argument, beginning with `who`, if no window fits
  void check(const std::string& who) const;
};

/// The windows of an image, as rows of a matrix: [positions(), columns()].
struct Windows {
  WindowAxis y, x;
  Index channels = 1; ///< of the image
  Index groups = 1;   ///< of channels

  Index positions() const { return y.positions() * x.positions(); }
  Index columns() const { return y.kernel * x.kernel * channels / groups; }
  Index image_size() const { return y.length * x.length * channels; }
};

/// [any, height, width, channels] or, for one dimension, [any, length, channels]; a single channel
/// may be omitted.
struct ImageShape {
  Index height = 1, width = 1, channels = 1;
};

/// @throws std::invalid_argument, beginning with `who`, for another number of dimensions
ImageShape image_shape(const Shape& shape, int dimensions, const std::string& who);

} // namespace troupe
