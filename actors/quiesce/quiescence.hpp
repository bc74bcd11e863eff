// Brings all trainers of a process to a quiescence at a consistent cut. Protocol:
// messages/quiesce/quiescence.hpp.
#pragma once

#include "messages/log/log.hpp"
#include "messages/quiesce/quiescence.hpp"

#include <vector>

namespace troupe {

struct QuiescenceOptions {
  std::vector<Trainer> trainers; ///< by worker, from worker 0: all workers of the holder
  LocalHolder holder;            ///< of their parameters
  Logger logger;                 ///< gets reports about what a quiescence waits for; may be null
};

/// Several requests may overlap: all get the same quiescence, and training continues once the last
/// of them has ended, or its sender was lost. A lost trainer counts as stopped.
///
/// It holds handles to the trainers, which do not know it, and ends with its last handle.
Quiescence spawn_quiescence(caf::actor_system& system, QuiescenceOptions options);

} // namespace troupe
