#include "troupe/model/spaced_product.hpp"

#include "troupe/model/buffer.hpp"
#include "troupe/model/library_product.hpp"

#include <algorithm>

namespace troupe {

namespace {

// Measured on one core of an EPYC (Zen 3, AVX2), GFLOP/s in place / with spaced copies / OpenBLAS:
//   256x2048 * 2048x2048   40 / 82 / 73      512x512 * 512x512, the first transposed   53 / 85 / 85
//   64x512 * 512x512       56 / 77 / 61      512x64 * 64x512, the first transposed     49 / 60 / 52
//   16x512 * 512x512       56 / 59 / 57      8x2048 * 2048x2048                        29 / 29 / 33
// Strides of 384, 640 or 768 numbers gain nothing, those of 256 next to nothing.
constexpr Index crowded_stride = 512; // numbers: 2 KiB, of 4 KiB that the sets of a cache span
constexpr Index line = 16;            // numbers of a cache line
constexpr Index slice = 192;          // of the inner size: the copies stay in the second cache
constexpr Index widest = 4096;        // columns of a copy
constexpr Index least_rows = 16;      // that a copied number must meet, to be worth its copy
constexpr Index least_columns = 64;

Index distance_of_rows(const Factor<float>& f) { return f.stride == 0 ? f.columns : f.stride; }

bool crowded(const Factor<float>& f) {
  return f.rows > 1 && distance_of_rows(f) % crowded_stride == 0;
}

/// Rows and columns of a factor as they lie in memory.
Factor<float> part(const Factor<float>& f, Index row, Index rows, Index column, Index columns) {
  const auto stride = distance_of_rows(f);
  return {f.data + row * stride + column, rows, columns, stride, f.transposed};
}

/// A copy of the factor in `to`, its rows a cache line further apart than they are long.
Factor<float> spaced_copy(const Factor<float>& f, Buffer<float>& to) {
  const auto from = distance_of_rows(f), stride = f.columns + line;
  if (static_cast<Index>(to.size()) < f.rows * stride)
    to.resize(static_cast<std::size_t>(f.rows * stride));
  for (Index row = 0; row < f.rows; ++row)
    std::copy_n(f.data + row * from, f.columns, to.data() + row * stride);
  return {to.data(), f.rows, f.columns, stride, f.transposed};
}

} // namespace

bool worth_spacing(const Factor<float>& a, const Factor<float>& b, const Result<float>& c) {
  return multiplies_in_place(c.rows, c.columns) && c.rows >= least_rows
         && c.columns >= least_columns
         && ((a.transposed && crowded(a)) || (!b.transposed && crowded(b)));
}

void spaced_product(const Factor<float>& a, const Factor<float>& b, const Result<float>& c,
                    WriteMode write) {
  static thread_local Buffer<float> copy_of_a, copy_of_b;
  const auto inner = a.transposed ? a.rows : a.columns;
  const auto stride = c.stride == 0 ? c.columns : c.stride;
  for (Index row = 0; row < c.rows; row += widest)
    for (Index from = 0; from < inner; from += slice) {
      const auto depth = std::min(slice, inner - from), rows = std::min(widest, c.rows - row);
      const auto left = a.transposed ? spaced_copy(part(a, from, depth, row, rows), copy_of_a)
                                     : part(a, row, rows, from, depth);
      for (Index column = 0; column < c.columns; column += widest) {
        const auto columns = std::min(widest, c.columns - column);
        const auto right = b.transposed
                             ? part(b, column, columns, from, depth)
                             : spaced_copy(part(b, from, depth, column, columns), copy_of_b);
        library_product(left, right, {c.data + row * stride + column, rows, columns, stride},
                        from > 0 ? WriteMode::add : write);
      }
    }
}

} // namespace troupe
