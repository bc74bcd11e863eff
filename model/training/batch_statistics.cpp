#include "model/training/batch_statistics.hpp"

#include <algorithm>

namespace troupe {

std::vector<const StatisticsSource*> statistics_sources(const Problem& problem,
                                                        const Model& model) {
  std::vector<const StatisticsSource*> sources;
  for (const auto* source : {dynamic_cast<const StatisticsSource*>(&problem),
                             dynamic_cast<const StatisticsSource*>(&model)})
    if (source != nullptr)
      sources.push_back(source);
  return sources;
}

std::vector<std::pair<std::string, double>>
statistics_of_batch(std::span<const StatisticsSource* const> sources, Model& model,
                    std::span<const float> parameters, const Batch& batch) {
  const auto read = std::any_of(sources.begin(), sources.end(),
                                [](const auto* source) { return source->reads_prediction(); });
  const auto prediction = read ? model.forward(parameters, batch) : std::span<const float>{};
  std::vector<std::pair<std::string, double>> statistics;
  for (const auto* source : sources) {
    const auto names = source->statistics();
    const auto values = source->collect_statistics(batch, prediction);
    for (std::size_t i = 0; i < names.size() && i < values.size(); ++i)
      statistics.emplace_back(names[i].name, values[i]);
  }
  return statistics;
}

} // namespace troupe
