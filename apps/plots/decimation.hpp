// Draws a curve of millions of points with a thousand, without losing a peak.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace troupe {

struct CurveData {
  std::vector<double> x, y;
};

/// The points of a curve as they are drawn.
struct DrawnPoints {
  const std::vector<double>&x, &y;
  bool positive = false; ///< values that are not above 0 are gaps

  std::size_t size() const { return std::min(x.size(), y.size()); }
  double value(std::size_t at) const;
};

/// Cuts the width of the curve into equal parts, and keeps of each part its lowest and its highest
/// point, in their order, and a gap where the part has no finite value. The first and the last
/// point are kept.
/// @param most points of the result, from 4 on; a curve with fewer is returned as it is
/// @param points in the order of writing; those at an x that is not finite are left out
CurveData decimated(const DrawnPoints& points, std::size_t most);
inline CurveData decimated(const CurveData& curve, std::size_t most) {
  return decimated(DrawnPoints{curve.x, curve.y}, most);
}

} // namespace troupe
