#pragma once

#include "model/codecs/bytes.hpp"

#include <span>
#include <string>

namespace troupe {

/// Integers q of 8 or 4 bits, and a scale for each chunk of elements: `uint32 chunk, float32
/// scale[ceil(n / chunk)]`, then the integers.
///
///   limit = 127 or 7        scale = max|x| / limit        q = round(x / scale), in [-limit, limit]
///   x ~ scale q
///
/// With 8 bits each q takes a byte. With 4, byte j of a chunk of m elements has element j in its low
/// bits and element ceil(m / 2) + j, if there is one, in its high bits. A chunk whose scale would be
/// subnormal (max|x| below 1.5e-36 or 8.2e-38) has scale 0 and q 0.
template <int Bits>
std::size_t scaled_size(std::size_t n, std::size_t chunk); ///< bytes; chunk > 0

/// @param to scaled_size(values.size(), chunk) bytes.
/// @returns false if an element is not finite; the content of `to` is then undefined
template <int Bits>
bool encode_scaled(std::size_t chunk, std::span<const float> values, std::byte* to);

/// @returns "", or the defect as a sentence; `values` are then unchanged
template <int Bits>
std::string decode_scaled(std::span<const std::byte> bytes, std::span<float> values);

} // namespace troupe
