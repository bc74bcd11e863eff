// Predictions of a trained model for arrays in memory.
#pragma once

#include "model/training/model.hpp"

#include <functional>
#include <span>
#include <vector>

namespace troupe {

/// The model's output before the loss, a batch at a time.
/// @param data of the problem that it was trained on
/// @param inputs of the model, in the order of its inputs(), each row-major [examples, width]
/// @param take receives the predictions of the next examples, row-major [batch, width]
/// @throws std::invalid_argument for examples that the model cannot read, like an unknown token
void predict_arrays(Model& model, std::span<const float> parameters, const DataSpec& data,
                    const std::vector<std::span<const float>>& inputs, Index examples,
                    const std::function<void(std::span<const float> predicted)>& take);

} // namespace troupe
