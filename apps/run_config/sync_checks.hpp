// How the extensions of a configuration share parameters, and whether that fits the rest of it.
#pragma once

#include "apps/catalog/extension_sync.hpp"
#include "apps/run_config/run_config.hpp"

namespace troupe {

/// Whether workers average gradients before the update, and hence all have the same parameters,
/// which are newer than the shared ones.
bool ahead_of_shared(const RunConfig& config);

/// Whether a holder has the result of a run's workers, and not only the initial parameters.
/// @param parameters of one worker's model
bool holds_result(const SavedHolder& holder, Index parameters, const RunConfig& config);

/// Adds a sentence for each conflict: a second extension that syncs, or a wire format, trigger or
/// number of workers that does not suit the rule. Errors within the options are reported when they
/// are read.
/// @param workers that share parameters; 0: unknown
void check_syncs(const RunConfig& config, WorkerId workers, Sentences& errors);

} // namespace troupe
