// What a test of a model has measured, and how it stands in files.
#pragma once

#include "messages/evaluation/batch_metrics.hpp"

#include <string>
#include <vector>

namespace troupe {

/// The metrics of a test, and what problem and model count, episode by episode. An episode is a
/// batch, counted from 0.
///
/// Columns are called as MI-Prometheus calls them; the accuracy is `acc`. What is undefined, being
/// 0/0, is an empty place, and does not count in what episodes come to.
class TestStatistics {
public:
  /// @param batch what the next episode measures   @param examples its size
  /// @param counted by problem and model, the same names each time
  void add(const Metrics& batch, Index examples, BatchMetrics::Values counted = {});

  Step episodes() const { return metrics_.count(); }

  /// A line for each episode: episode, its metrics, batch_size, what problem and model count.
  std::string rows_csv() const;

  /// One line: episode (how many there were), episodes_aggregated, samples_aggregated, and of each
  /// metric its value over all examples, as training tells it, then the least, the largest and the
  /// standard deviation (over n - 1; 0 of one) of the episodes' values. Behind them of what problem
  /// and model count: mean, least, largest and deviation of the episodes' values.
  /// @param whole the metrics of all episodes together   @param undefined those of them that are
  /// 0/0
  std::string aggregate_csv(const BatchMetrics::Values& whole,
                            const std::vector<std::string>& undefined = {}) const;

private:
  BatchMetrics metrics_;
  std::vector<Index> sizes_;
  std::vector<BatchMetrics::Values> counted_;
};

} // namespace troupe
