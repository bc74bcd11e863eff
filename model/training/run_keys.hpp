// The random keys of a run's parts. They follow from its seed, so that a program and `troupe train`
// draw the same numbers.
#pragma once

#include "base/types.hpp"
#include "model/tensor/random.hpp"

namespace troupe {

/// Of the initial parameters, the same for all workers.
RandomKey initial_parameters_key(std::uint64_t seed);
/// For the order of one worker's batches.
RandomKey shuffle_key(std::uint64_t seed, WorkerId worker);
/// For random numbers during training (dropout).
RandomKey noise_key(std::uint64_t seed, WorkerId worker);

} // namespace troupe
