#pragma once

#include <cstddef>
#include <cstdint>

namespace troupe {

/// Turns grey values 0 .. 255 into numbers 0 .. 1.
inline void grey_to_float(const std::uint8_t* grey, std::size_t size, float* out) {
  for (std::size_t i = 0; i < size; ++i)
    out[i] = static_cast<float>(grey[i]) / 255.f;
}

} // namespace troupe
