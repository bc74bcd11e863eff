// From logs to a chart: which curves there are, and what stands in which panel.
#pragma once

#include "apps/folder/run_log.hpp"
#include "apps/plots/abscissa.hpp"
#include "apps/plots/chart.hpp"

#include <string>
#include <vector>

namespace troupe {

struct NamedLog {
  std::string name; ///< tells it from the others
  const RunLog* log = nullptr;
  std::string about = {}; ///< model and data, like "mlp on digits"; "": not known
};

struct CurveOptions {
  std::vector<std::string> records = {}; ///< none: all that end in loss, accuracy or r2
  Against against = Against::batches;
  double smooth = 0; ///< weight of each value against that of the next one, in [0, 1)
  bool log = false;  ///< a logarithmic axis of values
};

/// A curve for each record of each worker of each log: losses in one panel, accuracies and r2 in
/// another, every other record in one of its own.
/// @throws UsageError for a record that is in no log, or has no number that can be drawn, and where
/// a log cannot say how many examples it has seen.
Chart chart_of(const std::vector<NamedLog>& named, const CurveOptions& options);

/// Of each value the mean up to it, in which each weighs `weight` times as much as the next one, as
/// in TensorBoard: 0, 1 with 0.9 become 0, 1 / 1.9. What is not finite is passed over, and stays a
/// gap.
std::vector<double> smoothed(const std::vector<double>& values, double weight);

} // namespace troupe
