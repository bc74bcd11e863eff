// Draws a curve of millions of points with a thousand, without losing a peak.
#pragma once

#include <cstddef>
#include <vector>

namespace troupe {

struct CurveData {
  std::vector<double> x, y;
};

/// Cuts the width of the curve into equal parts, and keeps of each part its lowest and its highest
/// point, in their order, and a gap where the part has no finite value. The first and the last
/// point are kept.
/// @param most points of the result, from 4 on; a curve with fewer is returned as it is
/// @param curve points in the order of writing; those at an x that is not finite are left out
CurveData decimated(const CurveData& curve, std::size_t most);

} // namespace troupe
