// Where the factors and the result of a product lie in memory.
#pragma once

#include "base/types.hpp"

namespace troupe {

/// A factor of a product, as it lies in memory.
template <class Scalar>
struct Factor {
  const Scalar* data = nullptr;
  Index rows = 0;
  Index columns = 0;
  Index stride = 0; ///< elements from the beginning of one row to the next; 0: `columns`
  bool transposed = false;

  Index row_stride() const { return stride == 0 ? columns : stride; }
};

/// Where a product goes.
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

/// The size that both factors of a product have in common, of its first one.
template <class Scalar>
Index inner_size(const Factor<Scalar>& first) {
  return first.transposed ? first.rows : first.columns;
}

enum class WriteMode {
  replace, ///< c = a b
  add,     ///< c = c + a b
};

} // namespace troupe
