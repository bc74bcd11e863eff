// Random factors of products.
#pragma once

#include "model/kernels/product.hpp"
#include "model/tensor/random.hpp"

#include <vector>

namespace troupe::test {

/// Numbers between -1 and 1.
template <class Scalar>
std::vector<Scalar> random_factors(Index n, std::uint64_t key) {
  Random random{{key}};
  std::vector<Scalar> numbers(static_cast<std::size_t>(n));
  for (auto& x : numbers)
    x = static_cast<Scalar>(random.uniform(-1, 1));
  return numbers;
}

/// The element as a product addresses it.
template <class Scalar>
double element(const Factor<Scalar>& f, Index row, Index column) {
  return f.data[f.transposed ? column * f.row_stride() + row : row * f.row_stride() + column];
}

} // namespace troupe::test
