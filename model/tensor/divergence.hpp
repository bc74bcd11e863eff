#pragma once

#include <span>

namespace troupe {

/// How far parameters have moved relative to where they were: ||now - before|| / ||before||,
/// Euclidean, summed in double. Infinite if `before` is 0 and `now` is not, 0 if both are 0,
/// NaN if a parameter is NaN.
/// @pre equal sizes
double relative_divergence(std::span<const float> now, std::span<const float> before);

} // namespace troupe
