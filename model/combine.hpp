#pragma once

#include "troupe/model/block.hpp"

namespace troupe {

/// shared <- alpha shared + beta incoming, element by element; equal sizes.
void combine(std::span<float> shared, float alpha, std::span<const float> incoming, float beta);

/// The same in one pass from `shared` into `result`, without reading `result` first.
void combine_into(std::span<float> result, std::span<const float> shared, float alpha,
                  std::span<const float> incoming, float beta);

} // namespace troupe
