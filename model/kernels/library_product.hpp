#pragma once

#include "model/kernels/factor.hpp"

#include <string>

namespace troupe {

/// Whether the build has a library for products of float32 (`TROUPE_PRODUCT`).
bool has_library_product();

/// Its name and, where it tells, its version: "oneDNN 2.6.3"; "Eigen 3.4.0" without a library.
std::string product_library();

/// c = a b, by the sgemm of the library of this build: oneDNN or OpenBLAS. Runs on the calling
/// thread alone.
/// @pre has_library_product(); as `product`
void library_product(const Factor<float>& a, const Factor<float>& b, const Result<float>& c,
                     WriteMode write);

} // namespace troupe
