#pragma once

#include "troupe/messages/statistics.hpp"
#include "troupe/model/metrics.hpp"
#include "troupe/model/types.hpp"

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
  void add(const Metrics& batch) { batches_.push_back(batch.values()); }

  const std::vector<Values>& batches() const { return batches_; }
  Step count() const { return static_cast<Step>(batches_.size()); }

  /// What the values of each metric come to, all batches alike, in the order of `Metrics::values`.
  std::vector<Spread> spreads() const;

private:
  std::vector<Values> batches_;
};

} // namespace troupe
