#pragma once

#include "model/training/learner.hpp"

#include <functional>
#include <memory>

namespace troupe {

/// What one worker holds in memory while it trains, in bytes.
struct TrainingMemory {
  std::uint64_t parameters = 0;
  std::uint64_t gradients
    = 0; ///< one for each thread, but for what is never written (BatchGradient)
  std::uint64_t optimizer = 0; ///< its slots
  std::uint64_t activations
    = 0; ///< and everything else that grows with the batch, the batch itself included

  std::uint64_t total() const { return parameters + gradients + optimizer + activations; }
};

/// Makes a learner, takes a step with it, and looks at what it has taken (aligned_traffic): true
/// for any model, and for as long as nobody else allocates meanwhile. Costs one batch. A snapshot
/// that somebody keeps, as checkpoints and observers do, comes on top: the parameters once more.
/// @param threads of the learner
/// Throws what making the learner and its first step throw.
TrainingMemory measure_memory(const std::function<std::shared_ptr<Learner>()>& make_learner,
                              Index threads);

} // namespace troupe
