#pragma once

#include "model/codecs/bytes.hpp"

#include <span>

namespace troupe {

/// 2 bytes per float: 1 bit of sign, 8 of exponent, 7 of mantissa, the leading half of a float32.
/// Rounds to nearest, ties to even; beyond 3.39e38 to infinity; a NaN becomes a quiet NaN. `to` and
/// `from` hold 2 bytes for each of `values`.
void encode_bfloat16(std::span<const float> values, std::byte* to);
void decode_bfloat16(const std::byte* from, std::span<float> values);

/// 2 bytes per float: 1 bit of sign, 5 of exponent, 10 of mantissa, IEEE 754 binary16. Rounds to
/// nearest, ties to even, subnormals included; from 65520 to infinity; a NaN becomes a quiet NaN.
/// Gives the same bits as the processor's instructions (F16C).
void encode_float16(std::span<const float> values, std::byte* to);
void decode_float16(const std::byte* from, std::span<float> values);

} // namespace troupe
