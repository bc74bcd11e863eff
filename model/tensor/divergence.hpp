#pragma once

#include <span>

namespace troupe {

/// How far parameters have moved, as a share of where they were: ||now - before|| / ||before||,
/// Euclidean, summed in double. Infinite where they were all 0 and are not any more, 0 where they
/// still are, NaN where one of them is no number.
/// @pre equal sizes
double relative_divergence(std::span<const float> now, std::span<const float> before);

} // namespace troupe
