// What a run saves of a trainer's learner, and how it is put back.
#pragma once

#include "troupe/messages/loop.hpp"
#include "troupe/model/learner.hpp"

#include <caf/error.hpp>

#include <map>
#include <string>

namespace troupe {

/// The learner's part of what a trainer saves: layout, parameters and optimizer.
/// @param batches after which it is so: the version of its parameters
SavedTrainer saved_learner(Learner& learner, Step batches);

/// Puts that part back. @returns Error::shape_mismatch with a sentence where it does not fit; the
/// learner is then as it was.
caf::error restore_learner(const SavedTrainer& saved, Learner& learner);

/// Sets all of them or none. @throws std::invalid_argument for a setting that the optimizer does
/// not have or a value that it cannot have; it names the nearest known one.
void set_all(const std::map<std::string, double>& settings, Optimizer& optimizer);

} // namespace troupe
