// Pictures or text of a model's inputs and predictions.
#pragma once

#include "model/training/model.hpp"

#include <filesystem>
#include <span>

namespace troupe {

/// What to show.
struct SampleSheet {
  const Problem& problem;
  Model& model;
  std::span<const float> parameters;
  Section section = Section::validation;
  Index examples = 36; ///< number of examples, from the first
  Index scale = 2;     ///< pixels per pixel of an example
};

/// For a problem of grey pictures with one class each, writes `<stem>.png`, a contact sheet with
/// each picture's class and the predicted class below it. Otherwise writes `<stem>.txt`, with
/// inputs, targets and predictions.
/// @returns the file. @throws IoError, std::invalid_argument for a section without examples.
std::filesystem::path write_samples(std::filesystem::path stem, const SampleSheet& sheet);

} // namespace troupe
