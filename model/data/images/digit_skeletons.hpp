#pragma once

#include <span>
#include <vector>

namespace troupe {

/// A point in the box of a digit: x to the right, y down, both about -0.5 .. 0.5, in heights of the
/// digit.
struct SkeletonPoint {
  float x = 0, y = 0;
};

/// A smooth line through its points, in writing order. A repeated point is a corner.
using SkeletonStroke = std::vector<SkeletonPoint>;

/// One way to write a digit.
struct Skeleton {
  std::vector<SkeletonStroke> strokes;
};

/// The ways to write `digit`, 0 .. 9; each is equally likely.
std::span<const Skeleton> digit_skeletons(int digit);

} // namespace troupe
