// Says where the time of a run went.
#pragma once

#include "messages/log/log.hpp"
#include "messages/loop/extension.hpp"

namespace troupe {

/// after_training.
Conditions profile_conditions();

/// An observer: asks the trainer for its times and tells people, as nested sections with their
/// share of the whole (time_report.hpp). Drain waits for the lines. It ends when nobody holds a
/// handle to it any more.
Extension spawn_profile(caf::actor_system& system, Trainer trainer, Logger logger);

} // namespace troupe
