// Packs factors of products for the processor's matrix tiles. Sources that are not compiled for
// such a processor see the sizes only.
#pragma once

#include "base/types.hpp"

#if (defined(__AMX_BF16__) || defined(__AMXBF16__)) && defined(__AVX512F__) && defined(__AVX512BW__)
#define TROUPE_TILES
#include <immintrin.h>
#endif

#include <algorithm>

namespace troupe {

inline constexpr Index tile_lines = 16;  // rows of a tile
inline constexpr Index tile_inner = 32;  // of the inner size, in one tile: 16 pairs of bfloat16
inline constexpr Index panel_lines = 32; // two tiles, which go through the inner size together

inline Index in_panels(Index lines) {
  return (lines + panel_lines - 1) / panel_lines * panel_lines;
}
inline Index in_steps(Index inner) { return (inner + tile_inner - 1) / tile_inner; }

#ifdef TROUPE_TILES

using TileVector = __m512i; // 16 pairs of bfloat16, a row of a tile

// Of the three bfloat16 numbers that make up each float32, one after the other.
inline constexpr Index vectors_of_tile = 3 * tile_lines;

/// 16 rows of a tile.
struct TileRows {
  TileVector rows[16];

  TileVector& operator[](Index i) { return rows[i]; }
};

/// Transposes rows of pairs.
void transpose_pairs(TileRows& rows);

/// A mask of the first n of 16 numbers; empty if n is negative.
inline __mmask16 first_lanes(Index n) {
  return static_cast<__mmask16>(n >= 16 ? 0xFFFF : (1u << std::max<Index>(n, 0)) - 1);
}

/// A factor as a set of lines: its rows where it is the first factor, its columns where it is the
/// second.
struct FactorLines {
  const float* data;
  Index stride;
  bool along; ///< true: the numbers of a line are adjacent in memory; false: the lines are
  bool rows;  ///< lines become rows of tiles, for the first factor; false: pairs become rows

  /// Packs lines [line, line + count) of numbers [from, from + inner):
  /// [panel][step of 32 numbers][2 halves of the panel][3 parts][16 rows]
  void pack(Index line, Index count, Index from, Index inner, TileVector* out) const;
};

#endif

} // namespace troupe
