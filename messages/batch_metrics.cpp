#include "troupe/messages/batch_metrics.hpp"

namespace troupe {

std::vector<Spread> BatchMetrics::spreads() const {
  std::vector<Spread> spreads;
  const auto metrics = batches_.empty() ? 0 : batches_.front().size();
  for (std::size_t metric = 0; metric < metrics; ++metric) {
    std::vector<double> values;
    for (const auto& batch : batches_)
      values.push_back(batch.at(metric).second);
    spreads.push_back(spread_of(values));
  }
  return spreads;
}

} // namespace troupe
