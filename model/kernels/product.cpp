#include "model/kernels/product.hpp"

#include "model/kernels/library_product.hpp"
#include "model/kernels/packed_product.hpp"
#include "model/kernels/product_scope.hpp"
#include "model/kernels/tile_product.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cassert>

namespace troupe {

namespace {

// oneDNN is faster than Eigen, also for thin shapes, until its call costs more than the arithmetic
// (bench/README.md has the times). The choice depends on the shape only, so that a repeated run
// gives the same bits.
constexpr Index small_product = 4096; // multiplications

template <class Scalar>
using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class Scalar>
using View = Eigen::Map<Matrix<Scalar>, 0, Eigen::OuterStride<>>;
template <class Scalar>
using ConstView = Eigen::Map<const Matrix<Scalar>, 0, Eigen::OuterStride<>>;

template <class Scalar>
void eigen_product(const Factor<Scalar>& a, const Factor<Scalar>& b, const Result<Scalar>& c,
                   WriteMode write) {
  const ConstView<Scalar> left{a.data, a.rows, a.columns, Eigen::OuterStride<>(a.row_stride())};
  const ConstView<Scalar> right{b.data, b.rows, b.columns, Eigen::OuterStride<>(b.row_stride())};
  View<Scalar> out{c.data, c.rows, c.columns, Eigen::OuterStride<>(c.row_stride())};
  const auto assign = [&](const auto& l, const auto& r) {
    if (write == WriteMode::add)
      out.noalias() += l * r;
    else
      out.noalias() = l * r;
  };
  if (a.transposed && b.transposed)
    assign(left.transpose(), right.transpose());
  else if (a.transposed)
    assign(left.transpose(), right);
  else if (b.transposed)
    assign(left, right.transpose());
  else
    assign(left, right);
}

template <class Scalar>
[[maybe_unused]] bool factors_agree(const Factor<Scalar>& a, const Factor<Scalar>& b,
                                    const Result<Scalar>& c) {
  return (a.transposed ? a.columns : a.rows) == c.rows
         && (b.transposed ? b.rows : b.columns) == c.columns
         && (b.transposed ? b.columns : b.rows) == inner_size(a);
}

// Tile by tile, so that both the source and the destination stay in the L1 cache.
template <class Scalar>
void transpose_tiles(const Factor<Scalar>& from, Scalar* to) {
  assert(!from.transposed);
  constexpr Index tile = 16;
  const ConstView<Scalar> in{from.data, from.rows, from.columns,
                             Eigen::OuterStride<>(from.row_stride())};
  View<Scalar> out{to, from.columns, from.rows, Eigen::OuterStride<>(from.rows)};
  for (Index i = 0; i < from.rows; i += tile)
    for (Index j = 0; j < from.columns; j += tile) {
      const auto rows = std::min(tile, from.rows - i), columns = std::min(tile, from.columns - j);
      out.block(j, i, columns, rows) = in.block(i, j, rows, columns).transpose();
    }
}

} // namespace

void transpose(const Factor<float>& from, float* to) { transpose_tiles(from, to); }
void transpose(const Factor<double>& from, double* to) { transpose_tiles(from, to); }

void product(Factor<float> a, Factor<float> b, Result<float> c, WriteMode write) {
  assert(factors_agree(a, b, c));
  const auto inner = inner_size(a);
  if (ProductScope::chosen() == Products::tiles && worth_tiles(c.rows, c.columns, inner)) {
    tile_product(a, b, c, write);
    return;
  }
  if (has_library_product() && c.rows * c.columns * inner > small_product) {
    if (worth_packing(a, b, c))
      packed_product(a, b, c, write);
    else
      library_product(a, b, c, write);
    return;
  }
  eigen_product(a, b, c, write);
}

void product(Factor<double> a, Factor<double> b, Result<double> c, WriteMode write) {
  assert(factors_agree(a, b, c));
  eigen_product(a, b, c, write);
}

} // namespace troupe
