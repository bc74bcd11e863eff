#pragma once

#include "model/tensor/buffer.hpp"
#include "model/tensor/layout.hpp"

#include <string>
#include <vector>

namespace troupe {

struct NpyArray {
  Shape shape;
  bool whole = false;   ///< its type is an integer or bool
  Buffer<float> values; ///< row-major
};

/// Reads an array saved by NumPy: "x.npy", or "data.npz:x" for the array x of an archive, stored or
/// compressed. Format: numpy.lib.format, versions 1 to 3; ZIP (APPNOTE) without ZIP64. Types: bool,
/// integers and floats of 2, 4 or 8 bytes, in either byte order, row-major or column-major (Fortran
/// order).
/// @throws FileError if the file cannot be read; DataError with the byte if it is damaged,
///         and for other types
NpyArray read_npy(const std::string& path);

/// The same from the bytes of a .npy file. @param path for messages
NpyArray parse_npy(const std::string& bytes, const std::string& path);

/// "x.npy, row 7, place [2, 0]" for the value at `at`; from 0, as NumPy counts.
std::string place_in(const NpyArray& array, const std::string& path, std::size_t at);

/// @throws DataError with the place of the first number that is not finite
void check_finite(const NpyArray& array, const std::string& path);

} // namespace troupe
