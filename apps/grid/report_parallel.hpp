// Parallel coordinates of a grid's report.
#pragma once

#include "apps/grid/report.hpp"

namespace troupe {

/// An SVG element: a vertical axis for each dimension of the grid and one for the score, the better
/// end on top; a line across them for each finished run with a finite score. Dimensions of numbers
/// have a numeric axis, logarithmic if the largest of positive numbers is fifty times the smallest;
/// other dimensions have their values in the order of trials. "" if there is no such run, or
/// nothing differs.
///
/// Inselberg, "The plane with parallel coordinates", The Visual Computer 1, 1985.
std::string parallel_svg(const GridReport& report);

} // namespace troupe
