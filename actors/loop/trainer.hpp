// Trains batch by batch, notifies observers and asks gates. Protocol: messages/loop/loop.hpp.
#pragma once

#include "actors/loop/trainer_options.hpp"
#include "messages/log/log.hpp"
#include "messages/loop/loop.hpp"
#include "model/training/learner.hpp"

#include <memory>

namespace troupe {

/// Spawns a trainer that takes ownership of `learner`. `logger` may be null.
///
/// It trains in slices, so it can share its thread. An idle trainer ends with its last handle. One
/// that trains, is paused or is quiesced doesn't: an exit message ends it, and answers Start and
/// Quiesce with an error. It holds handles to its extensions, and they to it only until they are
/// unsubscribed.
/// @throws std::invalid_argument without a learner, and for a loader with `ahead` 0.
Trainer spawn_trainer(caf::actor_system& system, std::shared_ptr<Learner> learner, Logger logger,
                      TrainerOptions options = {});

} // namespace troupe
