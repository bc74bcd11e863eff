#include "messages/evaluation/batch_metrics.hpp"

#include "messages/evaluation/undefined_metrics.hpp"

namespace troupe {

void BatchMetrics::add(const Metrics& batch) {
  batches_.push_back(batch.values());
  undefined_.push_back(batch.undefined());
}

bool BatchMetrics::defined(std::size_t batch, std::size_t metric) const {
  return !is_among(batches_.at(batch).at(metric).first, undefined_.at(batch));
}

std::vector<Spread> BatchMetrics::spreads() const {
  std::vector<Spread> spreads;
  const auto metrics = batches_.empty() ? 0 : batches_.front().size();
  for (std::size_t metric = 0; metric < metrics; ++metric) {
    std::vector<double> values;
    for (std::size_t batch = 0; batch < batches_.size(); ++batch)
      if (defined(batch, metric))
        values.push_back(batches_[batch].at(metric).second);
    spreads.push_back(spread_of(values));
  }
  return spreads;
}

} // namespace troupe
