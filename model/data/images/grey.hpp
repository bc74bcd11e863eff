#pragma once

#include <cstddef>
#include <cstdint>

namespace troupe {

/// Turns grey values 0 .. 255 into numbers 0 .. 1.
void grey_to_float(const std::uint8_t* grey, std::size_t size, float* out);

} // namespace troupe
