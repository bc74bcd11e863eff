#pragma once

#include "model/tensor/layout.hpp"

#include <string>
#include <variant>
#include <vector>

namespace troupe {

/// The content of an IDX file, row-major.
struct IdxArray {
  Shape shape;
  std::variant<std::vector<std::uint8_t>, std::vector<float>> elements;
};

/// Reads an IDX file of unsigned bytes (type 0x08) or 32-bit floats (0x0D), plain or gzip: two zero
/// bytes, the type, the rank, one size per dimension as 32 bits and the elements, all most
/// significant byte first; yann.lecun.com/exdb/mnist.
/// @param what for messages: "images"
/// @param min_rank,max_rank expected number of dimensions
/// @throws FileError if it cannot be read; DataError if it is damaged or of another kind.
///         Never allocates more memory than the file could fill.
IdxArray read_idx(const std::string& path, const std::string& what, int min_rank, int max_rank);

} // namespace troupe
