// The curves of a grid's report.
#pragma once

#include "apps/grid/report.hpp"

namespace troupe {

/// The curve of one number in each run.
struct RunCurves {
  std::string name;
  std::vector<std::vector<CurvePoint>> points; ///< points for each of the report's runs
};

/// The curves of the score that runs are compared by.
RunCurves scores_of_runs(const GridReport& report);
/// The curves of a statistic of problem or model, over the epochs.
RunCurves statistic_of_runs(const GridReport& report, const std::string& name);

/// An SVG element: a thin curve over epochs for each run, and for each configuration with several
/// runs their mean as a thick curve with a band of one deviation. The vertical axis is logarithmic
/// if all values are above 0 and the largest is twenty times the smallest. "" if no run has a
/// finite value.
std::string curves_svg(const GridReport& report, const RunCurves& curves);

} // namespace troupe
