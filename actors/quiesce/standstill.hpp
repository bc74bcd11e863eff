// Brings all trainers of a process to a standstill at a consistent cut. Protocol:
// messages/quiesce/standstill.hpp.
#pragma once

#include "messages/log/log.hpp"
#include "messages/quiesce/standstill.hpp"

#include <vector>

namespace troupe {

struct StandstillOptions {
  std::vector<Trainer> trainers; ///< by worker, from worker 0 on: of all that the holder has
  OwnHolder holder;              ///< of their parameters
  Logger logger;                 ///< hears whom a standstill waits for; may be null
};

/// Several callers may overlap: all get the same standstill, and training goes on once the last of
/// them has ended it, or was lost. A trainer that was lost stands.
///
/// It holds handles to the trainers, none of which knows it, and ends when nobody holds one to it.
Standstill spawn_standstill(caf::actor_system& system, StandstillOptions options);

} // namespace troupe
