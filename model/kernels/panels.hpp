// Matrices cut into panels a few registers wide, for loops that keep a tile of a product in
// registers (tile.hpp). Goto & van de Geijn, "Anatomy of high-performance matrix multiplication",
// ACM TOMS 34(3), 2008.
#pragma once

#include "model/kernels/factor.hpp"
#include "model/kernels/tile.hpp"

#include <algorithm>

namespace troupe {

/// Some adjacent columns of a matrix, padded to whole registers.
struct ColumnPanel {
  Index first = 0;     ///< column of the matrix
  Index columns = 0;   ///< of the matrix
  Index registers = 0; ///< 1 .. widest_tile
  Index offset = 0;    ///< of its numbers, [rows, registers * lane_count], in the packed matrix
};

/// Cuts `size` into as few parts as possible of at most `most`, with lengths that differ by at most
/// 1, and calls part(begin, length).
template <class Function>
void each_part(Index size, Index most, Function part) {
  const auto parts = (size + most - 1) / most;
  for (Index i = 0, begin = 0; i < parts; ++i) {
    const auto length = size / parts + (i < size % parts ? 1 : 0);
    part(begin, length);
    begin += length;
  }
}

/// The packed form of a matrix [rows, columns]: its panels, one after the other.
template <class Scalar>
struct Panels {
  Index rows = 0, columns = 0;
  Index widest = widest_tile; ///< in registers

  static constexpr Index lanes = lane_count<Scalar>;
  Index registers() const { return (columns + lanes - 1) / lanes; }
  Index size() const { return rows * registers() * lanes; }

  template <class Function>
  void each(Function function) const {
    each_part(registers(), widest, [&](Index begin, Index length) {
      const auto first = begin * lanes;
      function(ColumnPanel{first, std::min(length * lanes, columns - first), length, rows * first});
    });
  }

  /// Writes a matrix as panels, with zeros as padding.
  /// @param from with its stride
  void pack(const Factor<Scalar>& from, Scalar* to) const {
    const auto down = from.transposed ? 1 : from.stride, across = from.transposed ? from.stride : 1;
    each([&](const ColumnPanel& panel) {
      auto* row = to + panel.offset;
      for (Index r = 0; r < rows; ++r, row += panel.registers * lanes) {
        const auto* in = from.data + r * down + panel.first * across;
        for (Index c = 0; c < panel.columns; ++c)
          row[c] = in[c * across];
        std::fill(row + panel.columns, row + panel.registers * lanes, Scalar{0});
      }
    });
  }
};

} // namespace troupe
