#pragma once

#include "model/training/learner.hpp"

#include <functional>
#include <memory>

namespace troupe {

/// The memory of one worker during training, in bytes.
struct TrainingMemory {
  std::uint64_t parameters = 0;
  std::uint64_t gradients
    = 0; ///< one for each thread, without parts that are never written (BatchGradient)
  std::uint64_t optimizer = 0; ///< its slots
  std::uint64_t activations
    = 0; ///< and everything else that grows with the batch, including the batch

  std::uint64_t total() const { return parameters + gradients + optimizer + activations; }
};

/// Makes a learner, takes a step with it, and measures its allocations (aligned_traffic). Works for
/// any model as long as nothing else allocates meanwhile. Costs one batch. A snapshot that
/// checkpoints or observers keep adds the size of the parameters.
/// @param threads of the learner
/// @throws what making the learner and its first step throw
TrainingMemory measure_memory(const std::function<std::shared_ptr<Learner>()>& make_learner,
                              Index threads);

} // namespace troupe
