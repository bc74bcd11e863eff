// What a run saves of a trainer's learner, and how that is restored.
#pragma once

#include "messages/loop/loop.hpp"
#include "model/training/learner.hpp"

#include <caf/error.hpp>

#include <map>
#include <string>

namespace troupe {

/// The learner's part of what a trainer saves: layout, parameters and optimizer.
/// @param batches batches trained so far, the version of the parameters
SavedTrainer saved_learner(Learner& learner, Step batches);

/// Restores that part, except the settings in `others`, which get these values instead of the saved
/// ones.
/// @returns Error::shape_mismatch with a sentence if it does not fit; the learner is unchanged
/// then.
caf::error restore_learner(const SavedTrainer& saved, const std::map<std::string, double>& others,
                           Learner& learner);

/// The settings that the optimizer is made with now and was not when the state was saved.
std::map<std::string, double> reconfigured(const SavedTrainer& saved,
                                           const std::map<std::string, double>& configured);

/// A setting as it was when the state was saved.
double setting_in(const SavedTrainer& saved, const std::string& name);

/// Sets all of them or none. @throws std::invalid_argument for a setting that the optimizer does
/// not have, with the nearest known one, or an invalid value.
void set_all(const std::map<std::string, double>& settings, Optimizer& optimizer);

} // namespace troupe
