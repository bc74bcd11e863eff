// Matrix products over memory that the caller owns. Row-major throughout.
#pragma once

#include "model/kernels/factor.hpp"

namespace troupe {

/// Writes the transpose of a matrix: `to` is [columns, rows], without gaps. Worth it for a factor
/// of many products, which are slower with a transposed second factor.
void transpose(const Factor<float>& from, float* to);
void transpose(const Factor<double>& from, double* to);

/// c = a b, on the calling thread alone. Sizes must fit (asserted), c may not overlap a or b.
void product(Factor<float> a, Factor<float> b, Result<float> c,
             WriteMode write = WriteMode::replace);
void product(Factor<double> a, Factor<double> b, Result<double> c,
             WriteMode write = WriteMode::replace);

} // namespace troupe
