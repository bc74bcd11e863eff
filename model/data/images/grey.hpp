#pragma once

#include <cstddef>
#include <cstdint>

namespace troupe {

/// Converts grey values 0 .. 255 to numbers 0 .. 1.
void grey_to_float(const std::uint8_t* grey, std::size_t size, float* out);

} // namespace troupe
