#pragma once

#include "model/training/model.hpp"

namespace troupe {

/// The class with the greatest number, for each place of a prediction that is to be one of
/// `classes`.
/// @param prediction [places, classes]
/// @returns [places]
std::vector<Index> predicted_classes(std::span<const float> prediction, Index classes);

/// For people: the first examples of a section, each with its inputs, its targets and what the
/// model predicts, classes by name where the problem has some.
///
///   example 0
///     tokens: 3 1 4 1 5
///     answer: a b c
///     predicted: a b d
///
/// Of a long field only the first numbers.
/// @param section with at least one example, or the text says that there is none
/// @param examples at most so many
std::string samples_text(const Problem& problem, Model& model, std::span<const float> parameters,
                         Section section, Index examples);

} // namespace troupe
