// The kernels of a convolution over a few windows, with sums in registers.
#pragma once

#include "model/kernels/tile.hpp"

#include <span>

namespace troupe {

/// Some adjacent windows in an image.
template <class Scalar>
struct WindowRow {
  const Scalar* numbers = nullptr; ///< of the first window
  Index step = 0;                  ///< distance to the numbers of the next window
  std::span<const Index> runs;     ///< offsets where the adjacent numbers of a window begin
  Index run_length = 0;
};

/// y[window, o] = bias[o] + the window's numbers times a panel of the weights.
/// @param last number of channels in the panel's last register
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
/// of a window instead.
/// @param weights for each run panels one register wide, [channels, run_length]
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

/// Numbers at each window of some lines.
template <class Scalar>
struct AtWindows {
  const Scalar* numbers = nullptr; ///< at the first window
  Index line_step = 0, step = 0;   ///< distances between lines and between windows
};

/// sums[r, c] += sum over windows of a[window, r] b[window, c], for as many adjacent numbers of a
/// as the tile has rows, and of b as it is wide; its last register has `last` of them.
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

/// dx[window, t] += sum over channels of dy[window, o] w[o, t], for adjacent windows and the
/// numbers of a panel.
template <int Rows, int Registers, class Scalar>
[[gnu::noinline]] void spread(const Scalar* dy, Index dy_step, Index channels,
                              const Scalar* transposed_weights, Scalar* dx, Index step) {
  Tile<Rows, Registers, Scalar> tile{};
  for (Index o = 0; o < channels; ++o, transposed_weights += Registers * lane_count<Scalar>)
    tile.add_outer_product(dy + o, dy_step, transposed_weights);
  tile.add_to(dx, step);
}

} // namespace troupe
