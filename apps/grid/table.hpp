// troupe grid analyze: what has come out of a grid, in one table.
#pragma once

#include "apps/grid/train.hpp"
#include "apps/testing/test_files.hpp"

#include <limits>
#include <map>
#include <string>
#include <vector>

namespace troupe {

/// A number of a run, as training went on.
struct CurvePoint {
  double epochs = 0; ///< done when it was measured
  double value = 0;
};

/// What is known of one run. Texts and maps are empty where nothing is.
struct RunResults {
  RunNumber run = 0;
  std::size_t trial = 0; ///< from 1
  std::uint32_t repetition = 1;
  std::size_t task = 0; ///< from 1
  std::string problem, model;
  std::vector<std::string> values; ///< of the axes, in their order
  std::string saved;               ///< when its model was
  std::string outcome, reason, ended;
  std::string configuration; ///< the file
  std::string started;
  std::string seed;
  std::map<std::string, double> training;   ///< last values of the records "training_...", and of
                                            ///< what problem and model count
  std::map<std::string, double> validation; ///< and "validation_..."
  std::vector<RunTest> tests;
  std::string folder;
  double score
    = std::numeric_limits<double>::quiet_NaN(); ///< that runs are compared by, at its end
  std::vector<CurvePoint> scores; ///< in the order of epochs; of what was measured twice, the later
  /// What problem and model count, by name: the mean of each epoch.
  std::map<std::string, std::vector<CurvePoint>> statistics;
};

/// Texts in columns.
struct ResultsTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows; ///< each as long as `columns`
};

/// What the runs of a grid have left, from its journal and from their configurations, logs and
/// tests. Runs that have not ended are in it, too. @throws ConfigError, FileError, IoError
std::vector<RunResults> read_results(const GridPlan& plan);

/// A row for each test of a run ("run" in the column `row`), whose cells of training are filled in
/// the first one only, or one where there is no test; behind the runs the "mean" and the
/// "deviation" (over n - 1) of each trial's runs that are done, where a run's tests count as their
/// mean. Cells without a value are empty.
///
/// Columns, always in this order: what the run is, its axes, training (records by name),
/// validation, test. After MI-Prometheus' grid analyzer, which had no means.
/// @param axes their names
ResultsTable results_table(const std::vector<RunResults>& runs,
                           const std::vector<std::string>& axes);

/// RFC 4180, with the columns' names first.
std::string csv_of(const ResultsTable& table);

/// Writes the table of a grid, and a report beside it. @returns the exit code of the program.
/// @throws Failure for what cannot begin.
int grid_analyze(const GridCommand& command);

} // namespace troupe
