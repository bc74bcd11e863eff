// Trains: takes batch after batch, tells observers, asks gates. Protocol: messages/loop/loop.hpp.
#pragma once

#include "actors/loop/trainer_options.hpp"
#include "messages/log/log.hpp"
#include "messages/loop/loop.hpp"
#include "model/training/learner.hpp"

#include <memory>

namespace troupe {

/// Spawns a trainer of `learner`, which it owns from then on. `logger` may be null.
///
/// It trains in slices, so it shares its thread. It ends when nobody holds a handle to it any more,
/// but not while it trains, is paused or stands still: an exit message ends it there, and answers
/// Start and Quiesce with an error. It holds handles to its extensions, and they to it only
/// until they are unsubscribed.
/// @throws std::invalid_argument without a learner, and for a loader that may prepare nothing.
Trainer spawn_trainer(caf::actor_system& system, std::shared_ptr<Learner> learner, Logger logger,
                      TrainerOptions options = {});

} // namespace troupe
