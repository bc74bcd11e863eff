// The curves of a grid's report.
#pragma once

#include "apps/grid/report.hpp"

namespace troupe {

/// How one number went in each run.
struct RunCurves {
  std::string name;
  std::vector<std::vector<CurvePoint>> points; ///< of each of the report's runs
};

/// The score, by which runs are compared.
RunCurves scores_of_runs(const GridReport& report);
/// What problem or model count, over the epochs.
RunCurves statistic_of_runs(const GridReport& report, const std::string& name);

/// An SVG element: how the number went over epochs, thin for each run; for each configuration with
/// several runs the mean of those that have a value there, thick, and one deviation around it as a
/// band. The axis of values is logarithmic where all are above 0 and the largest is twenty times
/// the smallest. "" where no run has a finite value.
std::string curves_svg(const GridReport& report, const RunCurves& curves);

} // namespace troupe
