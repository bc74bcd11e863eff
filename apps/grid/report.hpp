// The contents of a grid's report: configurations, the best first, and their runs.
#pragma once

#include "apps/grid/results.hpp"

#include <string>
#include <vector>

namespace troupe {

/// A combination of settings, with the results of its repetitions.
struct ReportConfiguration {
  std::size_t trial = 0;           ///< from 1
  std::vector<std::string> values; ///< values of the report's dimensions
  std::vector<std::size_t> runs;   ///< indices in the report's `runs`
  double mean = 0, deviation = 0;  ///< of the scores of its finished runs; NaN: unknown
  std::size_t done = 0;
};

struct GridReport {
  std::string name;            ///< name of the grid
  std::string by;              ///< the record that runs are compared by
  Choose choose = Choose::min; ///< which value is better
  std::vector<std::string>
    dimensions;                ///< settings that differ between configurations: "model.hidden"
  std::vector<Epoch> rungs;    ///< of successive halving; none without it
  std::string unit = "epochs"; ///< of the rungs and of the curves
  std::vector<ReportConfiguration> configurations; ///< the best first, those without a mean last
  std::vector<RunResults> runs;                    ///< in order of number
};

/// The settings that differ between the trials of a grid.
struct GridDimensions {
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> values; ///< values of each trial, in the order of `names`
};

/// The settings in which the tasks' `overwrite` differ, "configs" if their files differ, and the
/// axes.
GridDimensions dimensions_of(const GridPlan& plan);

/// Groups runs by configuration and ranks these by the mean of their scores.
/// @param dimensions values for the trial of each run
GridReport ranked(GridReport report, const GridDimensions& dimensions);

/// The report of a grid. @param runs as returned by `read_results`
GridReport report_of(const GridPlan& plan, std::vector<RunResults> runs);

/// The finished run with the best score; nullptr if there is none.
const RunResults* best_run(const GridReport& report);

/// The command that repeats a run, for a shell in the folder where the grid was started.
std::string repeating_command(const RunResults& run);

} // namespace troupe
