// What a grid's report tells: configurations, the best first, and their runs.
#pragma once

#include "apps/grid/table.hpp"

#include <string>
#include <vector>

namespace troupe {

/// One combination of settings, with what its repetitions have reached.
struct ReportConfiguration {
  std::size_t trial = 0;           ///< from 1
  std::vector<std::string> values; ///< of the report's dimensions
  std::vector<std::size_t> runs;   ///< places in the report's `runs`
  double mean = 0, deviation = 0;  ///< of the scores of its runs that are done; NaN: not known
  std::size_t done = 0;
};

struct GridReport {
  std::string name;                    ///< of the grid
  std::string by;                      ///< the record that tells which run is better
  Choose choose = Choose::min;         ///< which value of it is
  std::vector<std::string> dimensions; ///< what differs between configurations: "model.hidden"
  std::vector<ReportConfiguration> configurations; ///< the best first, those without a mean last
  std::vector<RunResults> runs;                    ///< in their order
};

/// What differs between the trials of a grid.
struct GridDimensions {
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> values; ///< of each trial, in the order of `names`
};

/// Settings in which the tasks' `overwrite` differ, "configs" where their files do, and the axes.
GridDimensions dimensions_of(const GridPlan& plan);

/// Groups runs by configuration and ranks these by the mean of their scores.
/// @param dimensions has values for the trial of each run
GridReport ranked(GridReport report, const GridDimensions& dimensions);

/// The report of a grid. @param runs as `read_results` gives them
GridReport report_of(const GridPlan& plan, std::vector<RunResults> runs);

/// The run with the best score of those that are done; nullptr where there is none.
const RunResults* best_run(const GridReport& report);

/// The command that trains a run once more, for a shell in the folder where the grid was run.
std::string repeating_command(const RunResults& run);

/// "model.hidden [16], optimizer.learning_rate 0.01"; "trial 1" where nothing differs.
std::string label_of(const GridReport& report, const ReportConfiguration& configuration);

} // namespace troupe
