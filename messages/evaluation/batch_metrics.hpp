#pragma once

#include "base/types.hpp"
#include "messages/log/statistics.hpp"
#include "model/metrics/metrics.hpp"

#include <string>
#include <utility>
#include <vector>

namespace troupe {

/// The metrics of an evaluation's batches, one by one: what their extremes and their deviation
/// need, which sums over all examples do not tell.
class BatchMetrics {
public:
  using Values = std::vector<std::pair<std::string, double>>;

  /// @param batch what the next batch measures; each has the same metrics
  void add(const Metrics& batch);

  const std::vector<Values>& batches() const { return batches_; }
  /// Whether a metric of a batch is not 0/0, both by their numbers.
  bool defined(std::size_t batch, std::size_t metric) const;
  Step count() const { return static_cast<Step>(batches_.size()); }

  /// What the values of each metric come to, all batches alike, in the order of `Metrics::values`.
  /// Batches in which it is undefined do not count.
  std::vector<Spread> spreads() const;

private:
  std::vector<Values> batches_;
  std::vector<std::vector<std::string>> undefined_; ///< metrics of each batch
};

} // namespace troupe
