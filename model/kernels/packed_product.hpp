#pragma once

#include "model/kernels/factor.hpp"

namespace troupe {

/// Whether a product is faster with packed factors than by the library, which reads its factors in
/// place where there are few rows or columns: rows 2 KiB apart or a multiple of that then share a
/// few sets of the first cache and drive each other out. With AVX-512 that is rarer, and Intel's
/// processors with it were not measured: never there, nor where the program is not compiled for
/// AVX2. A matter of the processor, the shape and the strides only, so that a run repeated gives
/// the same bits.
bool worth_packing(const Factor<float>& a, const Factor<float>& b, const Result<float>& c);

/// Rows of the result that are made together. Whoever wants it in parts takes so many at a time,
/// and nothing is packed twice for that.
inline constexpr Index packed_rows_at_once = 320;

/// c = a b, from copies of the factors in which what is multiplied together lies together, so that
/// no distance between rows matters. On the calling thread alone, which keeps 0.4 MB for it.
///
/// Goto & van de Geijn, "Anatomy of high-performance matrix multiplication", ACM TOMS 34(3), 2008.
/// @pre sizes fit, c does not overlap a or b
void packed_product(const Factor<float>& a, const Factor<float>& b, const Result<float>& c,
                    WriteMode write);

} // namespace troupe
