#pragma once

#include "model/kernels/factor.hpp"

namespace troupe {

/// True if this processor multiplies bfloat16 on matrix tiles (AMX), the kernel lets this
/// process use them, and the program was compiled for them.
bool tiles_available();

/// True if a product of [rows, inner] and [inner, columns] is large enough to pay for packing
/// its factors. Depends on the shape only, so that a repeated run gives the same bits.
bool worth_tiles(Index rows, Index columns, Index inner);

/// c = a b, as accurate as float32: each factor is the sum of three bfloat16 numbers, and the six
/// largest of their nine products are added in float32. The rest is below 2^-24 of |a| |b| for
/// factors above 1e-32, whose smallest part is no denormal.
/// Numbers that are not finite, and numbers above 3.389e38, the largest bfloat16, give NaN. Runs on
/// the calling thread alone, which keeps up to 2 MB for it.
///
/// Henry, Tang, Heinecke, "Leveraging the bfloat16 artificial intelligence datatype for
/// higher-precision computations", ARITH 2019.
/// @pre tiles_available(); sizes fit, the inner one is at least 1, c does not overlap a or b
void tile_product(Factor<float> a, Factor<float> b, Result<float> c, WriteMode write);

} // namespace troupe
