#pragma once

#include "model/codecs/bytes.hpp"

#include <span>
#include <string>

namespace troupe {

/// 1 byte per float and 4 per chunk: `uint32 chunk, float32 scale[ceil(n / chunk)], int8 q[n]`.
///
///   scale = max|x| / 127        q = round(x / scale), in [-127, 127]        x ~ scale q
///
/// A chunk whose scale would be subnormal (max|x| below 1.5e-36) has scale 0 and q 0.
std::size_t int8_size(std::size_t n, std::size_t chunk); ///< bytes; chunk > 0

/// @param to int8_size(values.size(), chunk) bytes.
/// @returns false if an element is not finite; the content of `to` is then undefined
bool encode_int8(std::size_t chunk, std::span<const float> values, std::byte* to);

/// @returns "", or the defect as a sentence; `values` are then unchanged
std::string decode_int8(std::span<const std::byte> bytes, std::span<float> values);

} // namespace troupe
