#pragma once

#include "troupe/model/block.hpp"

namespace troupe {

/// shared <- alpha shared + beta incoming, element by element; equal sizes.
void combine(std::span<float> shared, float alpha, std::span<const float> incoming, float beta);

/// The same in one pass from `shared` into `result`, without reading `result` first.
void combine_into(std::span<float> result, std::span<const float> shared, float alpha,
                  std::span<const float> incoming, float beta);

/// shared <- alpha shared + beta incoming, and `copy` becomes the same, in one pass over memory.
/// `copy` is 64-byte aligned and is written past the caches: whoever gets it reads it later.
void combine_and_copy(std::span<float> shared, float alpha, std::span<const float> incoming,
                      float beta, std::span<float> copy);

} // namespace troupe
