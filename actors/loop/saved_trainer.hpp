// What a run saves of a trainer, and how it is restored.
#pragma once

#include "actors/loop/training.hpp"

#include <caf/error.hpp>

#include <string>
#include <vector>

namespace troupe {

SavedTrainer saved_trainer(const Training& training, const Save& save);

/// Continues from a saved state: at the next start, or here, at before_training. Records of this
/// run and its causes of the end are kept.
/// @returns an error with a sentence if that is impossible; nothing has changed then.
caf::error restore_trainer(const SavedTrainer& saved, double now, Training& training);

/// Sentences on what has changed since the state was saved: epochs, configured settings.
std::vector<std::string> changes_since(const SavedTrainer& saved, const Training& training);

} // namespace troupe
