#pragma once

#include "base/types.hpp"
#include "messages/log/statistics.hpp"
#include "model/metrics/metrics.hpp"

#include <string>
#include <utility>
#include <vector>

namespace troupe {

/// The metrics of each batch of an evaluation. Their extremes and deviation cannot be computed from
/// sums over all examples.
class BatchMetrics {
public:
  using Values = std::vector<std::pair<std::string, double>>;

  /// @param batch the metrics of the next batch; each batch has the same metrics
  void add(const Metrics& batch);

  const std::vector<Values>& batches() const { return batches_; }
  /// Whether a metric of a batch is not 0/0; both by index.
  bool defined(std::size_t batch, std::size_t metric) const;
  Step count() const { return static_cast<Step>(batches_.size()); }

  /// The spread of each metric over all batches, equally weighted, in the order of
  /// `Metrics::values`. Batches in which it is undefined are left out.
  std::vector<Spread> spreads() const;

private:
  std::vector<Values> batches_;
  std::vector<std::vector<std::string>> undefined_; ///< undefined metrics of each batch
};

} // namespace troupe
