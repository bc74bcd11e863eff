// The measurements of a test of a model, and their form in files.
#pragma once

#include "messages/evaluation/batch_metrics.hpp"

#include <string>
#include <vector>

namespace troupe {

/// The metrics of a test and the statistics of problem and model, per episode. An episode is a
/// batch, statistics from 0.
///
/// Columns are named as in MI-Prometheus; the accuracy is `acc`. An undefined value, 0/0, is an
/// empty field and is left out of aggregates.
class TestStatistics {
public:
  /// @param batch the metrics of the next episode   @param examples its size
  /// @param statistics statistics of problem and model, with the same names each time
  void add(const Metrics& batch, Index examples, BatchMetrics::Values statistics = {});

  Step episodes() const { return metrics_.count(); }

  /// One line per episode: episode, its metrics, batch_size, the statistics of problem and model.
  std::string rows_csv() const;

  /// One line: episode (their number), episodes_aggregated, samples_aggregated; for each metric its
  /// value over all examples, as training reports it, then the minimum, maximum and standard
  /// deviation (over n - 1; 0 for one episode) of the episodes' values; then for each statistic of
  /// problem and model the mean, minimum, maximum and deviation of the episodes' values.
  /// @param whole the metrics of all episodes together   @param undefined those of them that are
  /// 0/0
  std::string aggregate_csv(const BatchMetrics::Values& whole,
                            const std::vector<std::string>& undefined = {}) const;

private:
  BatchMetrics metrics_;
  std::vector<Index> sizes_;
  std::vector<BatchMetrics::Values> statistics_;
};

} // namespace troupe
