#pragma once

#include "model/tensor/layout.hpp"

#include <string>

namespace troupe {

/// What stands before the float32 numbers, row-major, in a file *.npy; they then begin at a
/// multiple of 64 bytes. Format: numpy.lib.format, version 1.
std::string npy_header(const Shape& shape);

} // namespace troupe
