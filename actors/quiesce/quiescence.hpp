// Brings all trainers of a process to a quiescence at a consistent cut. Protocol:
// messages/quiesce/quiescence.hpp.
#pragma once

#include "messages/log/log.hpp"
#include "messages/quiesce/quiescence.hpp"

#include <vector>

namespace troupe {

struct QuiescenceOptions {
  std::vector<Trainer> trainers; ///< by worker, from worker 0 on: of all that the holder has
  OwnHolder holder;              ///< of their parameters
  Logger logger;                 ///< hears whom a quiescence waits for; may be null
};

/// Several callers may overlap: all get the same quiescence, and training goes on once the last of
/// them has ended it, or was lost. A trainer that was lost stands.
///
/// It holds handles to the trainers, none of which knows it, and ends when nobody holds one to it.
Quiescence spawn_quiescence(caf::actor_system& system, QuiescenceOptions options);

} // namespace troupe
