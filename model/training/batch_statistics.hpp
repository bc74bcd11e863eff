#pragma once

#include "model/data/statistics_source.hpp"
#include "model/training/model.hpp"

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace troupe {

/// Who of problem and model counts something of each batch, the problem first.
std::vector<const StatisticsSource*> statistics_sources(const Problem& problem, const Model& model);

/// What they count of a batch, by name, in their order.
/// @param model predicts, where one of them asks for that
/// @param parameters before the batch's update, where it is trained on
std::vector<std::pair<std::string, double>>
statistics_of_batch(std::span<const StatisticsSource* const> sources, Model& model,
                    std::span<const float> parameters, const Batch& batch);

} // namespace troupe
