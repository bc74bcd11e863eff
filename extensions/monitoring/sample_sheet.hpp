// Pictures or text of what a model sees and answers.
#pragma once

#include "model/training/model.hpp"

#include <filesystem>
#include <span>

namespace troupe {

/// What is shown.
struct SampleSheet {
  const Problem& problem;
  Model& model;
  std::span<const float> parameters;
  Section section = Section::validation;
  Index examples = 36; ///< the first so many
  Index scale = 2;     ///< pixels per pixel of an example
};

/// Writes `<stem>.png`, a contact sheet on which each picture has its class and the model's below,
/// where the problem has grey pictures of one class each; else `<stem>.txt`, with inputs, targets
/// and predictions.
/// @returns the file. @throws FileError, std::invalid_argument for a section without examples.
std::filesystem::path write_samples(std::filesystem::path stem, const SampleSheet& sheet);

} // namespace troupe
