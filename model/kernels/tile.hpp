// Tiles of a product that stay in registers while the factors stream through.
#pragma once

#include "model/kernels/lanes.hpp"

#include <cassert>
#include <utility>

namespace troupe {

inline constexpr int widest_tile = 3;                                ///< in registers
inline constexpr int highest_tile = registers_of_sums / widest_tile; ///< in rows

/// A tile of sums: `Rows` rows, each some registers wide.
///
/// The compiler keeps an array in registers only if no loop indexes it at run time: hence each
/// loop here has a constant trip count and is unrolled.
template <int Rows, int Registers, class Scalar>
struct Tile {
  static constexpr Index lanes = lane_count<Scalar>;
  Lanes<Scalar> sums[Rows][Registers];

  /// Row r is read from from + r step.
  void load_from(const Scalar* from, Index step) {
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 8
      for (int v = 0; v < Registers; ++v)
        sums[r][v] = load(from + r * step + v * lanes);
  }

  /// Row r is written to to + r step; of the last register only `last` numbers.
  void store_to(Scalar* to, Index step, Index last) const {
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 8
      for (int v = 0; v < Registers - 1; ++v)
        store(sums[r][v], to + r * step + v * lanes);
      store_some(sums[r][Registers - 1], to + r * step + (Registers - 1) * lanes, last);
    }
  }

  /// Adds the numbers at from + r step to row r; of the last register only `last` numbers.
  void add_from(const Scalar* from, Index step, Index last) {
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
#pragma GCC unroll 8
      for (int v = 0; v < Registers - 1; ++v)
        sums[r][v] += load(from + r * step + v * lanes);
      sums[r][Registers - 1] += load_some(from + r * step + (Registers - 1) * lanes, last);
    }
  }

  /// Adds row r to the numbers at to + r step; rows may overlap there. A load that follows a store
  /// to some of its numbers stalls, so consecutive loads are one row apart.
  void add_to(Scalar* to, Index step) const {
#pragma GCC unroll 8
    for (int v = 0; v < Registers; ++v)
#pragma GCC unroll 8
      for (int r = 0; r < Rows; ++r) {
        auto* numbers = to + r * step + v * lanes;
        store<Scalar>(load(numbers) + sums[r][v], numbers);
      }
  }

  /// Adds column[r step] times `row` to row r; the last register of `row` has `last` numbers.
  void add_outer_product(const Scalar* column, Index step, const Scalar* row, Index last = lanes) {
    Lanes<Scalar> factor[Registers];
#pragma GCC unroll 8
    for (int v = 0; v < Registers - 1; ++v)
      factor[v] = load(row + v * lanes);
    factor[Registers - 1] = load_some(row + (Registers - 1) * lanes, last);
#pragma GCC unroll 8
    for (int v = 0; v < Registers; ++v)
      factor[v] = kept_in_register(factor[v]);
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 8
      for (int v = 0; v < Registers; ++v)
        sums[r][v] += column[r * step] * factor[v];
  }

  /// Adds lane by lane the products of 1 .. lanes numbers of row r of the left factor, at left + r
  /// step, and of column v of the right factor, at right + v lanes.
  void add_inner_products(const Scalar* left, Index step, Index numbers, const Scalar* right) {
    Lanes<Scalar> factor[Registers];
#pragma GCC unroll 8
    for (int v = 0; v < Registers; ++v)
      factor[v] = load(right + v * lanes);
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
      const auto row = load_some(left + r * step, numbers);
#pragma GCC unroll 8
      for (int v = 0; v < Registers; ++v)
        sums[r][v] += row * factor[v];
    }
  }

  /// Row r at to + r step becomes the sum over the lanes of each register plus the number at
  /// `base`.
  void store_sums_to(Scalar* to, Index step, const Scalar* base) const {
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 8
      for (int v = 0; v < Registers; ++v)
        to[r * step + v] = base[v] + sum<Scalar>(sums[r][v]);
  }
};

/// Calls function(std::integral_constant<int, n>) for an n of 1 .. Most.
template <int Most, class Function>
void with_constant(Index n, Function function) {
  [&]<int... I>(std::integer_sequence<int, I...>) {
    const auto found
      = ((n == I + 1 && (function(std::integral_constant<int, I + 1>{}), true)) || ...);
    assert(found);
    static_cast<void>(found);
  }
  (std::make_integer_sequence<int, Most>{});
}

/// Calls function(rows, registers) with both of them as std::integral_constant: a tile's size.
template <class Function>
void with_tile(Index rows, Index registers, Function function) {
  with_constant<highest_tile>(
    rows, [&](auto r) { with_constant<widest_tile>(registers, [&](auto v) { function(r, v); }); });
}

} // namespace troupe
