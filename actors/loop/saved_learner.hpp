// What a run saves of a trainer's learner, and how it is put back.
#pragma once

#include "messages/loop/loop.hpp"
#include "model/training/learner.hpp"

#include <caf/error.hpp>

#include <map>
#include <string>

namespace troupe {

/// The learner's part of what a trainer saves: layout, parameters and optimizer.
/// @param batches after which it is so: the version of its parameters
SavedTrainer saved_learner(Learner& learner, Step batches);

/// Puts that part back, but for the settings that are to be others than the saved ones.
/// @returns Error::shape_mismatch with a sentence where it does not fit; the learner is then as it
/// was.
caf::error restore_learner(const SavedTrainer& saved, const std::map<std::string, double>& others,
                           Learner& learner);

/// Notes in a state which settings the optimizer was made with. They stay what they are while
/// schedules and people change the settings themselves, so that a change of the configuration can
/// be told from theirs.
void put_configured(SavedTrainer& saved, const std::map<std::string, double>& configured);
/// Takes that note out of a state's row.
void erase_configured(Records& row);

/// The settings that the optimizer is made with now and was not when the state was saved; none
/// where an earlier version has saved it.
std::map<std::string, double> reconfigured(const SavedTrainer& saved,
                                           const std::map<std::string, double>& configured);

/// A setting as it was when the state was saved.
double setting_in(const SavedTrainer& saved, const std::string& name);

/// Sets all of them or none. @throws std::invalid_argument for a setting that the optimizer does
/// not have or a value that it cannot have; it names the nearest known one.
void set_all(const std::map<std::string, double>& settings, Optimizer& optimizer);

} // namespace troupe
