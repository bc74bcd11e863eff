#pragma once

#include "model/kernels/factor.hpp"

namespace troupe {

/// Whether the build has a library for products of float32 (`TROUPE_PRODUCT`).
bool has_library_product();

/// c = a b, by the sgemm of the library of this build: oneDNN or OpenBLAS. Runs on the calling
/// thread alone.
/// @pre has_library_product(); as `product`
void library_product(const Factor<float>& a, const Factor<float>& b, const Result<float>& c,
                     WriteMode write);

} // namespace troupe
