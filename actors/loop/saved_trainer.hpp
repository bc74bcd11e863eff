// What a run saves of a trainer, and how it continues from that.
#pragma once

#include "actors/loop/training.hpp"

#include <caf/error.hpp>

#include <string>
#include <vector>

namespace troupe {

SavedTrainer saved_trainer(const Training& training, const Save& save);

/// Continues from a saved state: at the next start, or here, before_training. What the run has
/// recorded itself and why it is to end stay where it has started.
/// @returns an error with a sentence where that cannot be; nothing has changed then.
caf::error restore_trainer(const SavedTrainer& saved, double now, Training& training);

/// Sentences on what was different when the state was saved: epochs, configured settings.
std::vector<std::string> changes_since(const SavedTrainer& saved, const Training& training);

} // namespace troupe
