#include "troupe/apps/test_statistics.hpp"

#include "troupe/messages/text.hpp"

#include <algorithm>
#include <cmath>

namespace troupe {

namespace {

std::string test_column(const std::string& metric) { return metric == "accuracy" ? "acc" : metric; }

struct Extent {
  double least = 0, largest = 0, deviation = 0;
};

/// @param values at least one
Extent extent_of(const std::vector<double>& values) {
  double mean = 0, squares = 0;
  for (std::size_t i = 0; i < values.size(); ++i) { // Welford, Technometrics 4 (3), 1962
    const auto difference = values[i] - mean;
    mean += difference / static_cast<double>(i + 1);
    squares += difference * (values[i] - mean);
  }
  const auto [least, largest] = std::minmax_element(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  return {*least, *largest, n > 1 ? std::sqrt(squares / (n - 1)) : 0};
}

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
    const auto extent = extent_of(values);
    const auto name = test_column(whole[k].first);
    names += "," + name + "," + name + "_min," + name + "_max," + name + "_std";
    line += "," + shortest(whole[k].second) + "," + shortest(extent.least) + ","
            + shortest(extent.largest) + "," + shortest(extent.deviation);
  }
  return names + "\n" + line + "\n";
}

} // namespace troupe
