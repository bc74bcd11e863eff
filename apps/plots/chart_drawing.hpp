// Draws charts with cairo.
#pragma once

#include "apps/plots/chart.hpp"

namespace troupe {

/// The bytes of an SVG file: the same for the same chart, except for an id that counts the
/// process's drawings.
std::string draw_svg(const Chart& chart);

/// The bytes of a PNG file, with `scale` dots per pixel in each direction.
std::string draw_png(const Chart& chart, double scale = 2);

} // namespace troupe
