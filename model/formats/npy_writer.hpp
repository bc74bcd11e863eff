#pragma once

#include "model/tensor/layout.hpp"

#include <string>

namespace troupe {

/// The header of a .npy file of float32 numbers, row-major; the numbers then begin at a multiple of
/// 64 bytes. Format: numpy.lib.format, version 1.
std::string npy_header(const Shape& shape);

} // namespace troupe
