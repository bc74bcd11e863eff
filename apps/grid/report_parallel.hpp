// Parallel coordinates of a grid's report.
#pragma once

#include "apps/grid/report.hpp"

namespace troupe {

/// An SVG element: an upright axis for each dimension of the grid and one for the score, the better
/// end on top; a line across them for each run that is done and has a finite score. Dimensions of
/// numbers have an axis of numbers, logarithmic from a factor of fifty between numbers above 0 on,
/// others places in the order of trials. "" where there is no such run, or nothing differs.
///
/// Inselberg, "The plane with parallel coordinates", The Visual Computer 1, 1985.
std::string parallel_svg(const GridReport& report);

} // namespace troupe
