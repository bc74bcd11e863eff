#include "model/kernels/tile_product.hpp"

#include "model/kernels/tile_packing.hpp"
#include "model/tensor/buffer.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>

#ifdef TROUPE_TILES
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace troupe {

// Compared with oneDNN's sgemm on a Sapphire Rapids core: 0.5 of its speed with 16 rows, 10 columns
// or an inner size of 8; the same with 64 x 64 x 64; 1.2 to 1.8 times from 64 x 128 x 128 on.
bool worth_tiles(Index rows, Index columns, Index inner) {
  constexpr Index enough = Index{1} << 19; // multiplications
  const auto done = in_panels(rows) * in_panels(columns) * in_steps(inner) * tile_inner;
  const auto needed = rows * columns * inner;
  return rows >= panel_lines && columns >= panel_lines && needed >= enough
         && 4 * needed >= 3 * done;
}

#ifndef TROUPE_TILES

bool tiles_available() { return false; }

void tile_product(Factor<float>, Factor<float>, Result<float>, WriteMode) {
  assert(!"tiles_available()");
}

#else

namespace {

// How much is kept packed at once: 512 lines of the first factor and 128 of the second, with an
// inner size of 512, so that both stay in the L2 cache.
constexpr Index most_lines = 512, most_columns = 128, most_inner = 512;

/// Where a product is written, and whether its rows and columns are swapped there.
struct Destination {
  Result<float> c;
  bool transposed;
};

/// The shape of the processor's eight tiles in the format of LDTILECFG; all are 16 rows of 64
/// bytes.
struct alignas(64) TileShapes {
  std::uint8_t palette = 1, start_row = 0;
  std::array<std::uint8_t, 14> reserved = {};
  std::array<std::uint16_t, 16> row_bytes = {64, 64, 64, 64, 64, 64, 64, 64};
  std::array<std::uint8_t, 16> rows = {16, 16, 16, 16, 16, 16, 16, 16};
};

/// Configures tiles for the calling thread while it lives. Releasing them keeps thread switches
/// cheap.
class TileScope {
public:
  TileScope() {
    static constexpr TileShapes shapes; // static: g++ believes that only 8 bytes of it are used
    _tile_loadconfig(&shapes);
  }
  ~TileScope() { _tile_release(); }
  TileScope(const TileScope&) = delete;
  TileScope& operator=(const TileScope&) = delete;
};

/// Compiler barrier: the compiler does not know that tiles read and write memory.
void finish_memory() { asm volatile("" : : : "memory"); }

constexpr Index tile_bytes = tile_lines * 64, half_bytes = 3 * tile_bytes;
enum class SplitPart : Index { high, middle, low };

// Tiles 0 to 3 are sums, [2, 2] for the halves of the panels; 4 and 5 hold the first factor, 6 and
// 7 the second.
void load_first(const char* panels, SplitPart part) {
  const auto* tiles = panels + static_cast<Index>(part) * tile_bytes;
  _tile_loadd(4, tiles, 64);
  _tile_loadd(5, tiles + half_bytes, 64);
}

void load_second(const char* panels, SplitPart part) {
  const auto* tiles = panels + static_cast<Index>(part) * tile_bytes;
  _tile_loadd(6, tiles, 64);
  _tile_loadd(7, tiles + half_bytes, 64);
}

void multiply() {
  _tile_dpbf16ps(0, 4, 6);
  _tile_dpbf16ps(1, 4, 7);
  _tile_dpbf16ps(2, 5, 6);
  _tile_dpbf16ps(3, 5, 7);
}

/// Adds the product of two packed panels to the sums, small parts first.
void multiply_panels(const TileVector* first, const TileVector* second, Index steps) {
  const auto* a = reinterpret_cast<const char*>(first);
  const auto* b = reinterpret_cast<const char*>(second);
  for (Index step = 0; step < steps; ++step, a += 2 * half_bytes, b += 2 * half_bytes) {
    // Between two products one factor stays loaded.
    load_first(a, SplitPart::high);
    load_second(b, SplitPart::low);
    multiply();
    load_second(b, SplitPart::middle);
    multiply();
    load_first(a, SplitPart::middle);
    multiply();
    load_second(b, SplitPart::high);
    multiply();
    load_first(a, SplitPart::low);
    multiply();
    load_first(a, SplitPart::high);
    multiply();
  }
}

void clear_sums() {
  _tile_zero(0);
  _tile_zero(1);
  _tile_zero(2);
  _tile_zero(3);
}

void load_sums(const float* from, Index stride) {
  const auto bytes = stride * Index{sizeof(float)};
  _tile_loadd(0, from, bytes);
  _tile_loadd(1, from + 16, bytes);
  _tile_loadd(2, from + 16 * stride, bytes);
  _tile_loadd(3, from + 16 * stride + 16, bytes);
}

void store_sums(float* to, Index stride) {
  const auto bytes = stride * Index{sizeof(float)};
  _tile_stored(0, to, bytes);
  _tile_stored(1, to + 16, bytes);
  _tile_stored(2, to + 16 * stride, bytes);
  _tile_stored(3, to + 16 * stride + 16, bytes);
}

/// Sums of two panels that need a copy before they are written: at an edge, or transposed.
struct alignas(64) Sums {
  std::array<float, panel_lines * panel_lines> numbers;

  const float* at(Index row, Index column) const {
    return numbers.data() + row * panel_lines + column;
  }

  /// Writes rows [0, rows) of columns [0, columns) to c.
  void write(Index rows, Index columns, float* c, Index stride, bool add) const {
    for (Index r = 0; r < rows; ++r)
      for (Index column = 0; column < columns; column += 16)
        put(_mm512_load_ps(at(r, column)), first_lanes(columns - column), c + r * stride + column,
            add);
  }

  /// The same, with rows and columns swapped.
  void write_transposed(Index rows, Index columns, float* c, Index stride, bool add) const {
    for (Index column = 0; column < columns; column += 16)
      for (Index r = 0; r < rows; r += 16) {
        TileRows square;
        for (Index i = 0; i < 16; ++i)
          square[i] = _mm512_load_si512(at(r + i, column));
        transpose_pairs(square);
        for (Index i = 0; i < std::min<Index>(16, columns - column); ++i)
          put(_mm512_castsi512_ps(square[i]), first_lanes(rows - r), c + (column + i) * stride + r,
              add);
      }
  }

private:
  static void put(__m512 sums, __mmask16 mask, float* to, bool add) {
    if (add)
      sums = _mm512_add_ps(sums, _mm512_maskz_loadu_ps(mask, to));
    _mm512_mask_storeu_ps(to, mask, sums);
  }
};

/// Multiplies one panel of each factor and writes the piece of the result at [row, column].
void multiply_into(const Destination& to, Index row, Index column, Index rows, Index columns,
                   const TileVector* first, const TileVector* second, Index steps, bool add) {
  const auto stride = to.c.stride;
  if (!to.transposed && rows == panel_lines && columns == panel_lines) {
    auto* c = to.c.data + row * stride + column;
    add ? load_sums(c, stride) : clear_sums();
    multiply_panels(first, second, steps);
    store_sums(c, stride);
    return;
  }
  clear_sums();
  multiply_panels(first, second, steps);
  Sums sums;
  store_sums(sums.numbers.data(), panel_lines);
  finish_memory();
  if (to.transposed)
    sums.write_transposed(rows, columns, to.c.data + column * stride + row, stride, add);
  else
    sums.write(rows, columns, to.c.data + row * stride + column, stride, add);
}

/// Packed parts of both factors; each thread that multiplies keeps its own.
struct Packed {
  Buffer<float> first, second;

  static TileVector* reserve(Buffer<float>& buffer, Index lines, Index inner) {
    // Three bfloat16 take one and a half times the memory of a float32.
    const auto size = in_panels(lines) * in_steps(inner) * tile_inner * 3 / 2;
    if (static_cast<Index>(buffer.size()) < size)
      buffer.resize(static_cast<std::size_t>(size));
    return reinterpret_cast<TileVector*>(buffer.data());
  }
};

void multiply_lines(const FactorLines& a, const FactorLines& b, Index rows, Index columns,
                    Index inner, const Destination& to, bool add) {
  static thread_local Packed packed;
  auto* first
    = Packed::reserve(packed.first, std::min(rows, most_lines), std::min(inner, most_inner));
  auto* second
    = Packed::reserve(packed.second, std::min(columns, most_columns), std::min(inner, most_inner));
  const TileScope tiles;
  for (Index row = 0; row < rows; row += most_lines)
    for (Index from = 0; from < inner; from += most_inner) {
      const auto count = std::min(most_lines, rows - row), n = std::min(most_inner, inner - from);
      const auto panel = in_steps(n) * 2 * vectors_of_tile; // vectors
      a.pack(row, count, from, n, first);
      for (Index column = 0; column < columns; column += most_columns) {
        const auto width = std::min(most_columns, columns - column);
        b.pack(column, width, from, n, second);
        finish_memory();
        for (Index j = 0; j < width; j += panel_lines)
          for (Index i = 0; i < count; i += panel_lines)
            multiply_into(to, row + i, column + j, std::min(panel_lines, count - i),
                          std::min(panel_lines, width - j), first + i / panel_lines * panel,
                          second + j / panel_lines * panel, in_steps(n), add || from > 0);
        finish_memory();
      }
    }
}

/// @returns whether the kernel grants tiles to all threads of this process from now on.
bool request_tiles() {
  constexpr long request_permission = 0x1023, tile_data = 18; // ARCH_REQ_XCOMP_PERM
  return __builtin_cpu_supports("avx512bw") != 0
         && ::syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
}

} // namespace

bool tiles_available() {
  static const bool granted = request_tiles();
  return granted;
}

void tile_product(Factor<float> a, Factor<float> b, Result<float> c, WriteMode write) {
  assert(tiles_available());
  const auto inner = inner_size(a);
  c.stride = c.row_stride();
  // Pairs run along the rows of a tile in the first factor and along its columns in the second.
  // If the second factor lies in memory as the first should, the two are exchanged: transposing
  // the result costs less than transposing the larger factor.
  const auto exchanged = b.transposed && c.columns > c.rows;
  const FactorLines lines_of_a{a.data, a.row_stride(), !a.transposed, !exchanged};
  const FactorLines lines_of_b{b.data, b.row_stride(), b.transposed, exchanged};
  const auto add = write == WriteMode::add;
  if (exchanged)
    multiply_lines(lines_of_b, lines_of_a, c.columns, c.rows, inner, {c, true}, add);
  else
    multiply_lines(lines_of_a, lines_of_b, c.rows, c.columns, inner, {c, false}, add);
}

#endif

} // namespace troupe
