// Helpers for layers that work on sequences, [any, length, ...].
#pragma once

#include "model/tensor/buffer.hpp"
#include "model/tensor/layout.hpp"

#include <string>

namespace troupe {

/// @param who kind and name, "lstm layer 'lstm0'"
/// @param expected the shape in words, "[any, length, inputs]"; the number of commas gives the
///        number of dimensions
/// @throws std::invalid_argument, naming all three, if `given` has another number of dimensions
///         or an unknown one besides the batch's
void check_sequence(const std::string& who, const std::string& expected, const Shape& given);

/// At least `size` elements, which are not cleared. Only grows, so that the steady state does not
/// allocate.
template <class Scalar>
Scalar* grown(Buffer<Scalar>& buffer, Index size) {
  if (static_cast<Index>(buffer.size()) < size)
    buffer = Buffer<Scalar>(static_cast<std::size_t>(size));
  return buffer.data();
}

} // namespace troupe
