// Builds a chart from logs: its curves and panels.
#pragma once

#include "apps/plots/chart.hpp"
#include "apps/plots/log_columns.hpp"

#include <string>
#include <vector>

namespace troupe {

struct NamedLog {
  std::string name; ///< unique among the logs
  const LogColumns* columns = nullptr;
  const RunLog* head = nullptr;
  std::string about = {}; ///< model and data, like "mlp on digits"; "": unknown
};

struct CurveOptions {
  std::vector<std::string> records = {}; ///< {}: all that end in loss, accuracy or r2
  Against against = Against::batches;
  double smooth = 0; ///< weight of the previous smoothed value, in [0, 1)
  bool log = false;  ///< use a logarithmic vertical axis
};

/// Whether `chart_of` draws a record, if a log has it.
bool is_drawn(std::string_view record, const CurveOptions& options);

/// A curve for each record of each worker of each log: losses in one panel, accuracies and r2 in
/// another, every other record in its own panel.
/// @throws UsageError for a record that no log has or that has no number to draw, and if a log does
/// not have the number of examples.
Chart chart_of(const std::vector<NamedLog>& named, const CurveOptions& options);

/// Exponential smoothing as in TensorBoard, corrected for the start: 0, 1 with a weight of 0.9
/// become 0, 1 / 1.9. Values that are not finite are skipped and stay gaps.
std::vector<double> smoothed(const std::vector<double>& values, double weight);

} // namespace troupe
