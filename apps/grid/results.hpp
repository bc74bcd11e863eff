// The results of a grid's runs, as their files say.
#pragma once

#include "apps/grid/plan.hpp"
#include "apps/testing/test_files.hpp"

#include <limits>
#include <map>
#include <string>
#include <vector>

namespace troupe {

/// A point of a run's curve.
struct CurvePoint {
  double epochs = 0; ///< epochs done at that point
  double value = 0;
};

/// The results of one run. Unknown texts and maps are empty.
struct RunResults {
  RunNumber run = 0;
  std::size_t trial = 0; ///< from 1
  std::uint32_t repetition = 1;
  std::size_t task = 0; ///< from 1
  std::string problem, model;
  std::vector<std::string> values; ///< values of the axes, in their order
  std::string saved;               ///< time at which its model was saved
  std::string outcome, reason, ended;
  std::string configuration; ///< path of its configuration
  std::string started;
  std::string seed;
  std::map<std::string, double> training; ///< last values of the records "training_...", and of the
                                          ///< statistics of problem and model
  std::map<std::string, double> validation; ///< last values of the records "validation_..."
  std::vector<RunTest> tests;
  std::string folder;
  double score = std::numeric_limits<double>::quiet_NaN(); ///< the last value of the record that
                                                           ///< runs are compared by
  std::vector<CurvePoint> scores; ///< in the order of epochs; for a repeated point the later value
  /// The statistics of problem and model by name: the mean of each epoch.
  std::map<std::string, std::vector<CurvePoint>> statistics;
};

/// Reads the results of a grid's runs from its journal and from their configurations, logs and
/// tests, including those of runs that have not ended. @throws ConfigError, IoError, IoError
std::vector<RunResults> read_results(const GridPlan& plan);

} // namespace troupe
