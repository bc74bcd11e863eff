#pragma once

#include "base/core_use.hpp"
#include "messages/loop/loading.hpp"
#include "messages/schedule/triggered.hpp"

#include <functional>

namespace troupe {

/// How a trainer takes part in a run.
struct TrainerOptions {
  WorkerId worker = 0;  ///< its number in the cluster
  double slice = 0.002; ///< seconds of training between two checks of the mailbox
  /// For ExpectedLength only: when training is expected to end; 0: unknown.
  Epoch epochs = 0;
  Step batches = 0;   ///< as `epochs`, in batches
  double seconds = 0; ///< as `epochs`, in seconds
  /// Seconds that a step adds on the actor system's clock besides its computation. For virtual
  /// time, in which computation takes no time.
  double step_duration = 0;
  Loader loader;  ///< reads batches ahead with a copy of the learner's reader; null: no loader
  Step ahead = 0; ///< batches that it may prepare in advance, > 0 with a loader
  PredicateRegistry predicates; ///< functions that conditions may name
  /// What the process has had of its cores; null: not recorded, as under virtual time.
  std::function<CoreUse()> core_use = {};
};

} // namespace troupe
