#include "troupe/apps/test_statistics.hpp"

#include "troupe/messages/text.hpp"

#include <numeric>

namespace troupe {

namespace {

std::string test_column(const std::string& metric) { return metric == "accuracy" ? "acc" : metric; }

} // namespace

void TestStatistics::add(const Metrics& batch, Index examples) {
  metrics_.add(batch);
  sizes_.push_back(examples);
}

std::string TestStatistics::rows_csv() const {
  const auto& batches = metrics_.batches();
  std::string text = "episode";
  if (!batches.empty())
    for (const auto& [metric, value] : batches.front())
      text += "," + test_column(metric);
  text += ",batch_size\n";
  for (std::size_t i = 0; i < batches.size(); ++i) {
    text += std::to_string(i);
    for (const auto& [metric, value] : batches[i])
      text += "," + shortest(value);
    text += "," + std::to_string(sizes_[i]) + "\n";
  }
  return text;
}

std::string TestStatistics::aggregate_csv(const BatchMetrics::Values& whole) const {
  const auto examples = std::accumulate(sizes_.begin(), sizes_.end(), Index{0});
  const auto count = std::to_string(episodes());
  const auto spreads = metrics_.spreads();
  std::string names = "episode,episodes_aggregated,samples_aggregated";
  std::string line = count + "," + count + "," + std::to_string(examples);
  for (std::size_t k = 0; k < whole.size(); ++k) {
    const auto& spread = spreads.at(k);
    const auto name = test_column(whole[k].first);
    names += "," + name + "," + name + "_min," + name + "_max," + name + "_std";
    line += "," + shortest(whole[k].second) + "," + shortest(spread.minimum) + ","
            + shortest(spread.maximum) + "," + shortest(spread.deviation);
  }
  return names + "\n" + line + "\n";
}

} // namespace troupe
