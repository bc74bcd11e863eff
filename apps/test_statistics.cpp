#include "troupe/apps/test_statistics.hpp"

#include "troupe/messages/statistics.hpp"
#include "troupe/messages/text.hpp"

namespace troupe {

namespace {

std::string test_column(const std::string& metric) { return metric == "accuracy" ? "acc" : metric; }

} // namespace

void TestStatistics::add(const Metrics& batch, Index examples) {
  episodes_.push_back({batch.values(), examples});
}

std::string TestStatistics::rows_csv() const {
  std::string text = "episode";
  if (!episodes_.empty())
    for (const auto& [metric, value] : episodes_.front().metrics)
      text += "," + test_column(metric);
  text += ",batch_size\n";
  for (std::size_t i = 0; i < episodes_.size(); ++i) {
    text += std::to_string(i);
    for (const auto& [metric, value] : episodes_[i].metrics)
      text += "," + shortest(value);
    text += "," + std::to_string(episodes_[i].examples) + "\n";
  }
  return text;
}

std::string
TestStatistics::aggregate_csv(const std::vector<std::pair<std::string, double>>& whole) const {
  Index examples = 0;
  for (const auto& episode : episodes_)
    examples += episode.examples;
  const auto count = std::to_string(episodes());
  std::string names = "episode,episodes_aggregated,samples_aggregated";
  std::string line = count + "," + count + "," + std::to_string(examples);
  for (std::size_t k = 0; k < whole.size(); ++k) {
    std::vector<double> values;
    for (const auto& episode : episodes_)
      values.push_back(episode.metrics.at(k).second);
    const auto spread = spread_of(values);
    const auto name = test_column(whole[k].first);
    names += "," + name + "," + name + "_min," + name + "_max," + name + "_std";
    line += "," + shortest(whole[k].second) + "," + shortest(spread.minimum) + ","
            + shortest(spread.maximum) + "," + shortest(spread.deviation);
  }
  return names + "\n" + line + "\n";
}

} // namespace troupe
