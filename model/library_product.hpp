#pragma once

#include "troupe/model/product.hpp"

namespace troupe {

/// Whether the build has a library for products of float32 (`TROUPE_PRODUCT`).
bool has_library_product();

/// c = a b, by the library that the build was given: oneDNN's or OpenBLAS' sgemm. On the calling
/// thread alone.
/// @pre has_library_product(); as `product`
void library_product(const Factor<float>& a, const Factor<float>& b, const Result<float>& c,
                     WriteMode write);

/// Whether the library multiplies factors of a product with so few rows or columns where they lie,
/// instead of packing them. oneDNN does so without AVX-512 below this measure of its own
/// (nocopy_checker_avx2 in its gemm_driver.cpp); a matter of the processor and the shape only.
bool multiplies_in_place(Index rows, Index columns);

} // namespace troupe
