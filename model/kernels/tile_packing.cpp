#include "model/kernels/tile_packing.hpp"

#ifdef TROUPE_TILES

#include <algorithm>

namespace troupe {

namespace {

/// A vector for each of the three bfloat16 that make up a float32.
struct Parts {
  TileVector high, middle, low;
};

/// Splits 32 numbers into three bfloat16 each. Each pair of the result has one number of `first`
/// and the one in the same place of `second`.
///
/// The high and the middle part are rounded to nearest, so that what they leave is as small as
/// possible: 2^-9 and 2^-18 of the number. The low part then holds every remaining bit. A NaN whose
/// rounding would overflow shows in the low part, which is truncated.
Parts split(__m512 first, __m512 second) {
  const auto upper = _mm512_set1_epi32(static_cast<int>(0xFFFF0000));
  const auto half = _mm512_set1_epi32(0x8000);
  const auto cut = [&](__m512 x) { return _mm512_and_si512(_mm512_castps_si512(x), upper); };
  const auto rounded = [&](__m512 x) {
    return _mm512_and_si512(_mm512_add_epi32(_mm512_castps_si512(x), half), upper);
  };
  const auto minus
    = [](__m512 x, TileVector part) { return _mm512_sub_ps(x, _mm512_castsi512_ps(part)); };
  const auto pairs
    = [](TileVector x, TileVector y) { return _mm512_or_si512(_mm512_srli_epi32(x, 16), y); };

  const auto high0 = rounded(first), high1 = rounded(second);
  const auto rest0 = minus(first, high0), rest1 = minus(second, high1);
  const auto middle0 = rounded(rest0), middle1 = rounded(rest1);
  return {pairs(high0, high1), pairs(middle0, middle1),
          pairs(cut(minus(rest0, middle0)), cut(minus(rest1, middle1)))};
}

/// Up to 16 lines of up to 32 numbers each of a factor.
struct Square {
  const float* data;
  Index stride;
  bool along; ///< as FactorLines'
  Index lines, inner;

  /// Row `r` of the square in parts: 32 numbers of line r, or numbers r and r + 16 of all lines,
  /// depending on `along`. Each pair consists of numbers i and i + 16: as long as both factors
  /// agree, the order within the inner size does not matter.
  Parts row(Index r) const {
    const auto at = [&](Index row, Index column, __mmask16 mask) {
      return mask == 0 ? _mm512_setzero_ps()
                       : _mm512_maskz_loadu_ps(mask, data + row * stride + column);
    };
    const auto inside = [](bool is) { return is ? __mmask16{0xFFFF} : __mmask16{0}; };
    if (along)
      return split(at(r, 0, first_lanes(inner) & inside(r < lines)),
                   at(r, 16, first_lanes(inner - 16) & inside(r < lines)));
    return split(at(r, 0, first_lanes(lines) & inside(r < inner)),
                 at(r + 16, 0, first_lanes(lines) & inside(r + 16 < inner)));
  }
};

/// Writes the three parts of a square as tiles.
/// @tparam Transposed whether a tile's rows are the square's columns
template <bool Transposed>
void pack_square(const Square& square, TileVector* tiles) {
  if constexpr (!Transposed) {
    for (Index r = 0; r < tile_lines; ++r) {
      const auto parts = square.row(r);
      tiles[r] = parts.high;
      tiles[r + tile_lines] = parts.middle;
      tiles[r + 2 * tile_lines] = parts.low;
    }
  } else {
    TileRows high, middle, low;
    for (Index r = 0; r < tile_lines; ++r) {
      const auto parts = square.row(r);
      high[r] = parts.high;
      middle[r] = parts.middle;
      low[r] = parts.low;
    }
    for (auto* part : {&high, &middle, &low}) {
      transpose_pairs(*part);
      tiles = std::copy_n(part->rows, tile_lines, tiles);
    }
  }
}

} // namespace

void transpose_pairs(TileRows& rows) {
  TileRows t;
  for (Index i = 0; i < 16; i += 2) {
    t[i] = _mm512_unpacklo_epi32(rows[i], rows[i + 1]);
    t[i + 1] = _mm512_unpackhi_epi32(rows[i], rows[i + 1]);
  }
  for (Index i = 0; i < 16; i += 4)
    for (Index j = 0; j < 2; ++j) {
      rows[i + 2 * j] = _mm512_unpacklo_epi64(t[i + j], t[i + j + 2]);
      rows[i + 2 * j + 1] = _mm512_unpackhi_epi64(t[i + j], t[i + j + 2]);
    }
  for (Index i = 0; i < 16; i += 8)
    for (Index j = 0; j < 4; ++j) {
      t[i + j] = _mm512_shuffle_i32x4(rows[i + j], rows[i + j + 4], 0x88);
      t[i + j + 4] = _mm512_shuffle_i32x4(rows[i + j], rows[i + j + 4], 0xdd);
    }
  for (Index j = 0; j < 8; ++j) {
    rows[j] = _mm512_shuffle_i32x4(t[j], t[j + 8], 0x88);
    rows[j + 8] = _mm512_shuffle_i32x4(t[j], t[j + 8], 0xdd);
  }
}

void FactorLines::pack(Index line, Index count, Index from, Index inner, TileVector* out) const {
  const auto steps = in_steps(inner), halves = in_panels(count) / tile_lines;
  const auto pack_at = [&](Index half, Index step) {
    const auto l = line + half * tile_lines, i = from + step * tile_inner;
    const Square square{data + (along ? l * stride + i : i * stride + l), stride, along,
                        std::min(tile_lines, count - half * tile_lines),
                        std::min(tile_inner, inner - step * tile_inner)};
    auto* to = out + ((half / 2 * steps + step) * 2 + half % 2) * vectors_of_tile;
    // A factor that lies in memory as tiles do needs no transposition.
    along == rows ? pack_square<false>(square, to) : pack_square<true>(square, to);
  };
  // In the order of memory, for the prefetcher.
  if (along) {
    for (Index half = 0; half < halves; ++half)
      for (Index step = 0; step < steps; ++step)
        pack_at(half, step);
  } else {
    for (Index step = 0; step < steps; ++step)
      for (Index half = 0; half < halves; ++half)
        pack_at(half, step);
  }
}

} // namespace troupe

#endif
