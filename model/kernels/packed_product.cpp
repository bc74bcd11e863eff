#include "model/kernels/packed_product.hpp"

#include "model/kernels/panels.hpp"
#include "model/tensor/buffer.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace troupe {

namespace {

// A tile of sums is [6, 16] with AVX2 and [6, 32] with AVX-512: 12 registers keep the arithmetic
// busy. AVX-512 has more, but using them needs wider panels or more of the first factor in the L1
// cache: [8, 48] and [12, 32] took 2 and 5 % longer.
constexpr Index lanes = lane_count<float>;
constexpr int tile_registers = 2, tile_rows = std::min(6, static_cast<int>(lanes));
constexpr Index tile_columns = tile_registers * lanes;

// How much is packed at once. A panel of the second factor, [depth, 16 or 32], stays in the L1
// cache (16 or 32 KiB) while all rows of the first one, [320, depth], stream through from the L2
// cache (320 KiB). Four panels of the second factor are packed side by side, so that one page
// lookup serves several cache lines.
constexpr Index depth_at_once = 256, columns_at_once = 4 * tile_columns;

constexpr Index cache_line = 16; // numbers

// Distances between rows from which packing is faster (bench/README.md has the speeds).
struct CrowdedStrides {
  Index down, along; // in numbers; where columns are read, and where rows are read
};
#ifdef __AVX512F__
[[maybe_unused]] constexpr CrowdedStrides crowded{2048, 512};
#else
[[maybe_unused]] constexpr CrowdedStrides crowded{512, 1024};
#endif
[[maybe_unused]] constexpr Index least_rows = 32, least_columns = 64, least_inner = 32;

[[maybe_unused]] bool are_apart(const Factor<float>& f, Index distance) {
  return f.rows > 1 && f.row_stride() % distance == 0;
}

/// A factor as a set of lines: its rows where it is the first factor, its columns where it is the
/// second. Number k of line i is data[i across + k along]; one of the two strides is 1.
struct Lines {
  const float* data;
  Index across, along;

  Lines from(Index line, Index number) const {
    return {data + line * across + number * along, across, along};
  }
};

Lines first_lines(const Factor<float>& f) {
  return f.transposed ? Lines{f.data, 1, f.row_stride()} : Lines{f.data, f.row_stride(), 1};
}

Lines second_lines(const Factor<float>& f) {
  return f.transposed ? Lines{f.data, f.row_stride(), 1} : Lines{f.data, 1, f.row_stride()};
}

/// Swaps the blocks of `Distance` numbers beside the diagonal in a pair of rows that are `Distance`
/// rows apart.
template <int Distance, int... I>
void exchange_blocks(Lanes<float>& upper, Lanes<float>& lower, std::integer_sequence<int, I...>) {
  constexpr int below = lanes; // numbers of the lower row follow those of the upper one
  const auto u = upper, l = lower;
  upper = __builtin_shufflevector(u, l, (I & Distance ? below + I - Distance : I)...);
  lower = __builtin_shufflevector(u, l, (I & Distance ? below + I : I + Distance)...);
}

/// Transposes as many rows as a register has numbers: first the halves, then the halves of these.
template <int Distance = lanes / 2>
void transpose_registers(Lanes<float> (&rows)[lanes]) {
#pragma GCC unroll 16
  for (Index i = 0; i < lanes; ++i)
    if ((i & Distance) == 0)
      exchange_blocks<Distance>(rows[i], rows[i + Distance],
                                std::make_integer_sequence<int, lanes>{});
  if constexpr (Distance > 1)
    transpose_registers<Distance / 2>(rows);
}

/// Packs lines whose numbers are adjacent, like `pack_lines`, as far as they fill registers.
/// @returns how many numbers of each line are packed
Index pack_squares(const Lines& in, Index count, Index depth, float* to, Index step) {
  const auto squares = depth / lanes * lanes;
  for (Index k = 0; k < squares; k += lanes) {
    Lanes<float> rows[lanes];
#pragma GCC unroll 16
    for (Index i = 0; i < lanes; ++i)
      rows[i] = i < count ? load(in.data + i * in.across + k) : Lanes<float>{};
    transpose_registers(rows);
#pragma GCC unroll 16
    for (Index i = 0; i < lanes; ++i)
      store(rows[i], to + (k + i) * step);
  }
  return squares;
}

/// Writes 1 .. lane_count lines side by side: to[k step + i] = number k of line i. Whole registers
/// are written in order: lanes without a line are 0 until the next lines overwrite them.
void pack_lines(const Lines& in, Index count, Index depth, float* to, Index step) {
  if (in.across == 1) {
    for (Index k = 0; k < depth; ++k)
      store(load_some(in.data + k * in.along, count), to + k * step);
    return;
  }
  for (auto k = pack_squares(in, count, depth, to, step); k < depth; ++k)
    for (Index i = 0; i < lanes; ++i)
      to[k * step + i] = i < count ? in.data[i * in.across + k] : 0.0f;
}

/// The lines of one register, and where they are packed.
struct RegisterOfLines {
  Lines in;
  Index count;
  float* to;
  Index step;
};

/// Packs up to `columns_at_once` lines, [depth, registers of the panel] for each panel.
void pack_panels(const Lines& in, const Panels<float>& panels, float* to) {
  std::array<RegisterOfLines, columns_at_once / lanes> registers;
  Index used = 0;
  panels.each([&](const ColumnPanel& panel) {
    for (Index line = 0; line < panel.columns; line += lanes)
      registers[used++] = {in.from(panel.first + line, 0), std::min(lanes, panel.columns - line),
                           to + panel.offset + line, panel.registers * lanes};
  });
  // Lines in the same page are read together.
  const auto whole = in.across != 1 ? 0 : registers[used - 1].count == lanes ? used : used - 1;
  for (Index k = 0; k < panels.rows; ++k)
    for (Index i = 0; i < whole; ++i) {
      const auto& r = registers[i];
      store(load(r.in.data + k * in.along), r.to + k * r.step);
    }
  for (auto i = whole; i < used; ++i)
    pack_lines(registers[i].in, registers[i].count, panels.rows, registers[i].to,
               registers[i].step);
}

/// Prefetches the numbers that are packed next, a few with each tile, so that they arrive in time.
class ReadAhead {
public:
  /// @param tiles computed before the numbers are needed
  ReadAhead(const Lines& next, Index count, Index depth, Index tiles)
    : next_(next.data),
      stride_(next.across == 1 ? next.along : next.across),
      width_(next.across == 1 ? count : depth),
      left_(next.across == 1 ? depth : count) {
    const auto lines_of_row = (width_ + cache_line - 1) / cache_line;
    per_tile_ = (left_ * lines_of_row + tiles - 1) / tiles;
  }

  void operator()() {
    for (Index i = 0; i < per_tile_ && left_ > 0; ++i) {
      __builtin_prefetch(next_ + column_);
      column_ += cache_line;
      if (column_ < width_)
        continue;
      column_ = 0;
      next_ += stride_;
      --left_;
    }
  }

private:
  const float* next_;
  Index stride_, width_, left_, per_tile_ = 0, column_ = 0;
};

/// A tile of the result; its last register has `last` numbers.
struct Target {
  float* data;
  Index stride, last;
};

template <int Rows, int Registers>
void multiply_packed(const float* a, const float* b, Index depth, const Target& c, bool add) {
  // Needed at the end, where there is no other work to hide the wait.
#pragma GCC unroll 12
  for (int row = 0; row < Rows; ++row) {
    __builtin_prefetch(c.data + row * c.stride, 1);
    __builtin_prefetch(c.data + row * c.stride + Registers * lanes - 1, 1);
  }
  Tile<Rows, Registers, float> tile{};
#pragma GCC unroll 4
  for (Index k = 0; k < depth; ++k, a += Rows, b += Registers * lanes)
    tile.add_outer_product(a, 1, b);
  if (add)
    tile.add_from(c.data, c.stride, c.last);
  tile.store_to(c.data, c.stride, c.last);
}

/// Multiplies packed rows, [rows, depth], by one panel.
void multiply_panel(const float* a, Index rows, const float* b, Index depth,
                    const ColumnPanel& panel, const Target& c, bool add, ReadAhead& read_ahead) {
  each_part(rows, tile_rows, [&](Index first, Index count) {
    read_ahead();
    with_constant<tile_rows>(count, [&](auto height) {
      with_constant<tile_registers>(panel.registers, [&](auto width) {
        multiply_packed<height, width>(a + first * depth, b, depth,
                                       {c.data + first * c.stride, c.stride, c.last}, add);
      });
    });
  });
}

} // namespace

bool worth_packing(const Factor<float>& a, const Factor<float>& b, const Result<float>& c) {
#if defined(__AVX2__) && defined(__FMA__)
#ifdef __AVX512F__
  static const bool measured = __builtin_cpu_is("amd");
  if (!measured)
    return false;
#endif
  if (c.rows < least_rows || c.columns < least_columns || inner_size(a) < least_inner)
    return false;
  return (a.transposed && are_apart(a, crowded.down))
         || are_apart(b, b.transposed ? crowded.along : crowded.down);
#else
  static_cast<void>(a), static_cast<void>(b), static_cast<void>(c);
  return false;
#endif
}

void packed_product(const Factor<float>& a, const Factor<float>& b, const Result<float>& c,
                    WriteMode write) {
  static thread_local Buffer<float> packed_rows(packed_rows_at_once * depth_at_once + lanes),
    packed_columns(columns_at_once * depth_at_once);
  const auto first = first_lines(a), second = second_lines(b);
  const auto inner = inner_size(a), stride = c.row_stride();
  each_part(c.rows, packed_rows_at_once, [&](Index row, Index rows) {
    each_part(inner, depth_at_once, [&](Index from, Index depth) {
      each_part(rows, tile_rows, [&](Index at, Index count) {
        pack_lines(first.from(row + at, from), count, depth, packed_rows.data() + at * depth,
                   count);
      });
      for (Index column = 0; column < c.columns; column += columns_at_once) {
        const auto end = std::min(column + columns_at_once, c.columns),
                   next_end = std::min(end + columns_at_once, c.columns);
        const Panels<float> panels{depth, end - column, tile_registers};
        pack_panels(second.from(column, from), panels, packed_columns.data());
        const auto tiles = ((end - column + tile_columns - 1) / tile_columns)
                           * ((rows + tile_rows - 1) / tile_rows);
        ReadAhead read_ahead{second.from(end, from), next_end - end, depth, tiles};
        panels.each([&](const ColumnPanel& panel) {
          multiply_panel(packed_rows.data(), rows, packed_columns.data() + panel.offset, depth,
                         panel,
                         {c.data + row * stride + column + panel.first, stride,
                          panel.columns - (panel.registers - 1) * lanes},
                         write == WriteMode::add || from > 0, read_ahead);
        });
      }
    });
  });
}

} // namespace troupe
