// What a convolution does with a few windows, the sums in registers.
#pragma once

#include "model/kernels/tile.hpp"

#include <span>

namespace troupe {

/// Some windows side by side in an image.
template <class Scalar>
struct WindowRow {
  const Scalar* numbers = nullptr; ///< under the first one
  Index step = 0;                  ///< to those under the next one
  std::span<const Index> runs;     ///< where a window's numbers lie side by side
  Index run_length = 0;
};

/// y[window, o] = bias[o] + the window's numbers times a panel of the weights.
/// @param last how many of the channels lie in the panel's last register
template <int Rows, int Registers, class Scalar>
[[gnu::noinline]] void convolve(const WindowRow<Scalar>& x, const Scalar* weights,
                                const Scalar* biases, Scalar* y, Index y_step, Index last) {
  Tile<Rows, Registers, Scalar> tile;
  tile.load_from(biases, 0);
  const auto step = x.step, length = x.run_length;
  for (const auto run : x.runs) {
    const auto* from = x.numbers + run;
    for (Index t = 0; t < length; ++t, weights += Registers * lane_count<Scalar>)
      tile.add_outer_product(from + t, step, weights);
  }
  tile.store_to(y, y_step, last);
}

/// The same for a few channels, which would leave most of a register empty: the lanes are numbers
/// under a window instead.
/// @param weights of each run as panels one register wide, [channels, run_length]
template <int Rows, int Channels, class Scalar>
[[gnu::noinline]] void convolve_narrow(const WindowRow<Scalar>& x, const Scalar* weights,
                                       const Scalar* biases, Scalar* y, Index y_step) {
  constexpr auto lanes = lane_count<Scalar>;
  Tile<Rows, Channels, Scalar> tile{};
  const auto step = x.step, length = x.run_length;
  for (const auto run : x.runs)
    for (Index t = 0; t < length; t += lanes, weights += Channels * lanes)
      tile.add_inner_products(x.numbers + run + t, step, t + lanes < length ? lanes : length - t,
                              weights);
  tile.store_sums_to(y, y_step, biases);
}

/// Something at each window of some lines.
template <class Scalar>
struct AtWindows {
  const Scalar* numbers = nullptr; ///< at the first one
  Index line_step = 0, step = 0;   ///< from line to line and from window to window
};

/// sums[r, c] += sum over windows of a[window, r] b[window, c], for as many numbers of a side by
/// side as the tile has rows, and as many of b as it is wide, `last` of them in the last register.
template <int Rows, int Registers, class Scalar>
[[gnu::noinline]] void correlate(const AtWindows<Scalar>& a, const AtWindows<Scalar>& b,
                                 Index lines, Index across, Index last, Scalar* sums) {
  constexpr auto width = Registers * lane_count<Scalar>;
  Tile<Rows, Registers, Scalar> tile;
  tile.load_from(sums, width);
  const auto a_step = a.step, b_step = b.step;
  for (Index line = 0; line < lines; ++line) {
    const auto* column = a.numbers + line * a.line_step;
    const auto* row = b.numbers + line * b.line_step;
    for (Index j = 0; j < across; ++j, column += a_step, row += b_step)
      tile.add_outer_product(column, 1, row, last);
  }
  tile.store_to(sums, width, lane_count<Scalar>);
}

/// dx[window, t] += sum over channels of dy[window, o] w[o, t], for windows side by side and the
/// numbers of a panel.
template <int Rows, int Registers, class Scalar>
[[gnu::noinline]] void spread(const Scalar* dy, Index dy_step, Index channels,
                              const Scalar* turned_weights, Scalar* dx, Index step) {
  Tile<Rows, Registers, Scalar> tile{};
  for (Index o = 0; o < channels; ++o, turned_weights += Registers * lane_count<Scalar>)
    tile.add_outer_product(dy + o, dy_step, turned_weights);
  tile.add_to(dx, step);
}

} // namespace troupe
