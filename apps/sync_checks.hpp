// Whether the extensions that share parameters fit the rest of a configuration.
#pragma once

#include "troupe/apps/run_config.hpp"

namespace troupe {

/// Adds a sentence for each that does not: a wire format or a number of workers that its rule
/// cannot do with. Options that cannot be decoded are left to whoever spawns it.
/// @param workers that share parameters; 0: not known
void check_syncs(const RunConfig& config, WorkerId workers, Sentences& errors);

} // namespace troupe
