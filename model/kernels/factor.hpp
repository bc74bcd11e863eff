// Memory layout of the factors and the result of a product.
#pragma once

#include "base/types.hpp"

namespace troupe {

/// A factor of a product.
template <class Scalar>
struct Factor {
  const Scalar* data = nullptr;
  Index rows = 0;
  Index columns = 0;
  Index stride = 0; ///< elements from the beginning of one row to the next; 0: `columns`
  bool transposed = false;

  Index row_stride() const { return stride == 0 ? columns : stride; }
};

/// The destination of a product.
template <class Scalar>
struct Result {
  Scalar* data = nullptr;
  Index rows = 0;
  Index columns = 0;
  Index stride = 0; ///< as a factor's

  Index row_stride() const { return stride == 0 ? columns : stride; }
};

template <class Scalar>
Factor<Scalar> transposed(Factor<Scalar> factor) {
  factor.transposed = !factor.transposed;
  return factor;
}

/// The size that both factors of a product share, taken from the first one.
template <class Scalar>
Index inner_size(const Factor<Scalar>& first) {
  return first.transposed ? first.rows : first.columns;
}

enum class WriteMode {
  replace, ///< c = a b
  add,     ///< c = c + a b
};

} // namespace troupe
