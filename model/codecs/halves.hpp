#pragma once

#include "model/codecs/bytes.hpp"

#include <span>

namespace troupe {

/// 2 bytes per float: 1 bit of sign, 8 of exponent, 7 of mantissa, a float32's leading half. To
/// nearest, ties to even; what rounds beyond 3.39e38 becomes infinity, a NaN a quiet NaN.
/// `to` and `from` hold 2 bytes for each of `values`.
void encode_bfloat16(std::span<const float> values, std::byte* to);
void decode_bfloat16(const std::byte* from, std::span<float> values);

/// 2 bytes per float: 1 bit of sign, 5 of exponent, 10 of mantissa, IEEE 754 binary16. To nearest,
/// ties to even, subnormals included; from 65520 infinity, a NaN a quiet NaN. Gives what the
/// processor's instructions (F16C) give, bit by bit.
void encode_float16(std::span<const float> values, std::byte* to);
void decode_float16(const std::byte* from, std::span<float> values);

} // namespace troupe
