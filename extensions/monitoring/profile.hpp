// Prints how a run spent its time.
#pragma once

#include "messages/log/log.hpp"
#include "messages/loop/extension.hpp"

namespace troupe {

/// after_training.
Conditions profile_conditions();

/// An observer: asks the trainer for its times and prints them as nested sections with their share
/// of the whole (time_report.hpp). Drain waits for the lines. It ends when no handle to it is left.
Extension spawn_profile(caf::actor_system& system, Trainer trainer, Logger logger);

} // namespace troupe
