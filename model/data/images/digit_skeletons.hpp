#pragma once

#include <span>
#include <vector>

namespace troupe {

/// A place in the box of a digit: x to the right, y down, both about -0.5 .. 0.5, in heights of the
/// digit.
struct SkeletonPoint {
  float x = 0, y = 0;
};

/// A smooth line through its points, in the order of writing. A point that is given twice is a
/// corner.
using SkeletonStroke = std::vector<SkeletonPoint>;

/// One way to write a digit.
struct Skeleton {
  std::vector<SkeletonStroke> strokes;
};

/// The ways to write `digit`, 0 .. 9; all are equally likely.
std::span<const Skeleton> digit_skeletons(int digit);

} // namespace troupe
