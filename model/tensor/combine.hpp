#pragma once

#include "model/tensor/block.hpp"

namespace troupe {

/// result <- alpha shared + beta incoming, element by element; equal sizes. `result` may alias one
/// of the others.
void combine_into(std::span<float> result, std::span<const float> shared, float alpha,
                  std::span<const float> incoming, float beta);

} // namespace troupe
