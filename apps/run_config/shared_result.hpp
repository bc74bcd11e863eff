// Whether the result of a run is its shared parameters.
#pragma once

#include "apps/run_config/run_config.hpp"

namespace troupe {

/// Whether the workers' parameters are newer than the shared ones, and all the same: they average
/// gradients before the update.
bool ahead_of_shared(const RunConfig& config);

/// Whether a holder has the result of a run's workers, and not only the initial parameters.
/// @param parameters of one worker's model
bool holds_result(const SavedHolder& holder, Index parameters, const RunConfig& config);

} // namespace troupe
