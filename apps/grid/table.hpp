// The results of a grid as a table.
#pragma once

#include "apps/grid/results.hpp"

#include <string>
#include <vector>

namespace troupe {

/// Texts in columns.
struct ResultsTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows; ///< each as long as `columns`
};

/// A row for each test of a run ("run" in the column `row`), or one row without a test. Only the
/// first row of a run has the cells of training. After the runs follow the "mean" and the
/// "deviation" (over n - 1) of each trial's finished runs, where a run's tests count as their mean.
/// Cells without a value are empty.
///
/// Columns, always in this order: the run, its axes, training (records by name), validation, test.
/// After the grid analyzer of MI-Prometheus, which had no means.
/// @param axes names of the axes
ResultsTable results_table(const std::vector<RunResults>& runs,
                           const std::vector<std::string>& axes);

/// The table as CSV (RFC 4180), with a header.
std::string csv_of(const ResultsTable& table);

} // namespace troupe
