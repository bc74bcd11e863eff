// Windows that slide over images, as convolutions and poolings use them.
//
// An image lies in memory as [height, width, channels]: the channels of a place side by side.
#pragma once

#include "model/tensor/layout.hpp"

#include <string>

namespace troupe {

/// A window's way along one axis.
struct WindowAxis {
  Index length = 1; ///< of the image
  Index kernel = 1; ///< of the window, in steps of `dilation`
  Index stride = 1;
  Index padding = 0; ///< places of 0 on either side
  Index dilation = 1;

  Index positions() const { return (length + 2 * padding - reach()) / stride + 1; }
  Index reach() const { return (kernel - 1) * dilation + 1; }
  /// Where step `k` of the window at `position` falls; outside of 0 .. length - 1 is padding.
  Index place(Index position, Index k) const { return position * stride - padding + k * dilation; }

  /// @throws std::invalid_argument, in the name of `who`, where no window fits.
  void check(const std::string& who) const;
};

/// The windows of an image, as rows of a matrix: [positions(), columns()].
struct Windows {
  WindowAxis y, x;
  Index channels = 1; ///< of the image
  Index groups = 1;   ///< into which the channels are parted

  Index positions() const { return y.positions() * x.positions(); }
  Index columns() const { return y.kernel * x.kernel * channels / groups; }
  Index image_size() const { return y.length * x.length * channels; }
};

/// [any, height, width, channels] or, for one dimension, [any, length, channels]; the channels
/// may be absent where there is one.
struct ImageShape {
  Index height = 1, width = 1, channels = 1;
};

/// @throws std::invalid_argument, in the name of `who`, for another number of sizes.
ImageShape image_shape(const Shape& shape, int dimensions, const std::string& who);

} // namespace troupe
