#pragma once

#include "model/training/model.hpp"

namespace troupe {

/// The class with the largest number, for each position of a prediction.
/// @param prediction [positions, classes]
/// @returns [positions]
std::vector<Index> predicted_classes(std::span<const float> prediction, Index classes);

/// Formats the first examples of a section as text: inputs, targets and the model's prediction,
/// with class names if the problem has some.
///
///   example 0
///     tokens: 3 1 4 1 5
///     answer: a b c
///     predicted: a b d
///
/// Long fields are cut after their first numbers.
/// @param section if it has no examples, the text says so
/// @param examples maximum number of examples
std::string samples_text(const Problem& problem, Model& model, std::span<const float> parameters,
                         Section section, Index examples);

} // namespace troupe
