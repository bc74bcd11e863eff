// The curves of a grid's report.
#pragma once

#include "troupe/apps/grid/report.hpp"

namespace troupe {

/// An SVG element: how the score of each run went over epochs, thin; for each configuration with
/// several runs the mean of those that have a value there, thick, and one deviation around it as a
/// band. The axis of scores is logarithmic where all are above 0 and the largest is twenty times
/// the smallest. "" where no run has a finite score.
std::string curves_svg(const GridReport& report);

} // namespace troupe
