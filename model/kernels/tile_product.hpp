#pragma once

#include "model/kernels/factor.hpp"

namespace troupe {

/// Whether this processor multiplies bfloat16 on matrix tiles (AMX), the kernel lets this process
/// do so, and the program was compiled for it.
bool tiles_available();

/// Whether a product of [rows, inner] and [inner, columns] has enough to do on tiles to pay for
/// writing its factors anew. A matter of the shape only, so that a run repeated gives the same
/// bits.
bool worth_tiles(Index rows, Index columns, Index inner);

/// c = a b, as accurate as float32: each factor is the sum of three bfloat16 numbers, of whose nine
/// products the six largest are added in float32; what is left out is below 2^-24 of |a| |b| for
/// factors above 1e-32, whose smallest part is no denormal.
/// Numbers that are not finite give NaN, so do those above 3.389e38, bfloat16's largest. On the
/// calling thread alone, which keeps up to 2 MB for it.
///
/// Henry, Tang, Heinecke, "Leveraging the bfloat16 artificial intelligence datatype for
/// higher-precision computations", ARITH 2019.
/// @pre tiles_available(); sizes fit, the inner one is at least 1, c does not overlap a or b
void tile_product(Factor<float> a, Factor<float> b, Result<float> c, WriteMode write);

} // namespace troupe
