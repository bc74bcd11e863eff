#include "apps/testing/test_statistics.hpp"

#include "base/text/text.hpp"
#include "messages/evaluation/undefined_metrics.hpp"
#include "messages/log/statistics.hpp"

#include <numeric>
#include <utility>

namespace troupe {

void TestStatistics::add(const Metrics& batch, Index examples, BatchMetrics::Values statistics) {
  metrics_.add(batch);
  sizes_.push_back(examples);
  statistics_.push_back(std::move(statistics));
}

std::string TestStatistics::rows_csv() const {
  const auto& batches = metrics_.batches();
  std::string text = "episode";
  if (!batches.empty())
    for (const auto& [metric, value] : batches.front())
      text += "," + statistics_column(metric);
  text += ",batch_size";
  if (!statistics_.empty())
    for (const auto& [name, value] : statistics_.front())
      text += "," + name;
  text += "\n";
  for (std::size_t i = 0; i < batches.size(); ++i) {
    text += std::to_string(i);
    for (std::size_t k = 0; k < batches[i].size(); ++k)
      text += "," + (metrics_.defined(i, k) ? shortest(batches[i][k].second) : "");
    text += "," + std::to_string(sizes_[i]);
    for (const auto& [name, value] : statistics_[i])
      text += "," + shortest(value);
    text += "\n";
  }
  return text;
}

std::string TestStatistics::aggregate_csv(const BatchMetrics::Values& whole,
                                          const std::vector<std::string>& undefined) const {
  const auto examples = std::accumulate(sizes_.begin(), sizes_.end(), Index{0});
  const auto count = std::to_string(episodes());
  std::string names = "episode,episodes_aggregated,samples_aggregated";
  std::string line = count + "," + count + "," + std::to_string(examples);
  const auto add = [&](const std::string& name, const std::string& mean, const Spread& spread) {
    names += "," + name + "," + name + "_min," + name + "_max," + name + "_std";
    line += "," + mean;
    for (const auto value : {spread.minimum, spread.maximum, spread.deviation})
      line += "," + (spread.of_any() ? shortest(value) : "");
  };
  const auto spreads = metrics_.spreads();
  for (std::size_t k = 0; k < whole.size(); ++k)
    add(statistics_column(whole[k].first),
        is_among(whole[k].first, undefined) ? "" : shortest(whole[k].second), spreads.at(k));
  for (std::size_t k = 0; !statistics_.empty() && k < statistics_.front().size(); ++k) {
    std::vector<double> values;
    for (const auto& episode : statistics_)
      values.push_back(episode.at(k).second);
    const auto spread = spread_of(values);
    add(statistics_.front()[k].first, shortest(spread.mean), spread);
  }
  return names + "\n" + line + "\n";
}

} // namespace troupe
