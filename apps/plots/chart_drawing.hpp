// Draws charts, by cairo.
#pragma once

#include "apps/plots/chart.hpp"

namespace troupe {

/// The bytes of an SVG file: the same for the same chart, but for an id that counts what a process
/// has drawn.
std::string draw_svg(const Chart& chart);

/// The bytes of a PNG file, with `scale` dots for a pixel's side.
std::string draw_png(const Chart& chart, double scale = 2);

} // namespace troupe
