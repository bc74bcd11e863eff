// Trains: takes batch after batch, tells observers, asks gates. Protocol: messages/loop/loop.hpp.
#pragma once

#include "messages/log/log.hpp"
#include "messages/loop/loading.hpp"
#include "messages/loop/loop.hpp"
#include "messages/schedule/triggered.hpp"
#include "model/training/learner.hpp"

#include <memory>

namespace troupe {

struct TrainerOptions {
  WorkerId worker = 0;
  double slice = 0.002; ///< seconds of training between two looks at the mailbox
  /// For Extent only: where training is expected to end; 0: not known.
  Epoch epochs = 0;
  Step batches = 0;
  double seconds = 0;
  /// Seconds that a step lasts on the actor system's clock besides its computation. For virtual
  /// time, in which computation takes none.
  double step_duration = 0;
  Loader loader;  ///< reads batches ahead with a copy of the learner's reader; null: nobody does
  Step ahead = 0; ///< batches that it may prepare before they are trained on, > 0 with a loader
  PredicateRegistry predicates; ///< functions that conditions may name
};

/// Spawns a trainer of `learner`, which it owns from then on. `logger` may be null.
///
/// It trains in slices, so it shares its thread. It ends when nobody holds a handle to it any more,
/// but not while it trains, is paused or stands still: an exit message ends it there, and answers
/// Start and StandStill with an error. It holds handles to its extensions, and they to it only
/// until they are unsubscribed.
/// @throws std::invalid_argument without a learner, and for a loader that may prepare nothing.
Trainer spawn_trainer(caf::actor_system& system, std::shared_ptr<Learner> learner, Logger logger,
                      TrainerOptions options = {});

} // namespace troupe
