// Whether the options of extensions fit the rest of a configuration.
#pragma once

#include "troupe/apps/run_config.hpp"

namespace troupe {

/// Adds a sentence for each that does not: a setting to be modified that the optimizer does not
/// have, a limit of time that nobody gave. Options that cannot be decoded are left to whoever
/// spawns it.
void check_extensions(const RunConfig& config, Sentences& errors);

} // namespace troupe
