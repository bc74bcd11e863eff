#pragma once

#include "model/kernels/factor.hpp"

namespace troupe {

/// True if a product is faster with packed factors than with the library, which reads factors in
/// place where there are few rows or columns: rows that lie a multiple of 2 KiB apart then share a
/// few cache sets and evict each other. False with AVX-512, where this is rarer and Intel's
/// processors were not measured, and without AVX2. Depends on the processor, the shape and the
/// strides only, so that a repeated run gives the same bits.
bool worth_packing(const Factor<float>& a, const Factor<float>& b, const Result<float>& c);

/// Rows of the result that are computed together. A caller that computes the result in parts takes
/// this many rows at a time, so that nothing is packed twice.
inline constexpr Index packed_rows_at_once = 320;

/// c = a b, from copies of the factors packed so that strides do not matter. Runs on the calling
/// thread alone, which keeps 0.4 MB for it.
///
/// Goto & van de Geijn, "Anatomy of high-performance matrix multiplication", ACM TOMS 34(3), 2008.
/// @pre sizes fit, c does not overlap a or b
void packed_product(const Factor<float>& a, const Factor<float>& b, const Result<float>& c,
                    WriteMode write);

} // namespace troupe
