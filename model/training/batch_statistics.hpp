#pragma once

#include "model/data/statistics_source.hpp"
#include "model/training/model.hpp"

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace troupe {

/// The problem and the model, if they are statistics sources; the problem first.
std::vector<const StatisticsSource*> statistics_sources(const Problem& problem, const Model& model);

/// The statistics of a batch by name, in the order of their sources.
/// @param model predicts, if a source asks for a prediction
/// @param parameters before the batch's update, if it is trained on
std::vector<std::pair<std::string, double>>
statistics_of_batch(std::span<const StatisticsSource* const> sources, Model& model,
                    std::span<const float> parameters, const Batch& batch);

} // namespace troupe
