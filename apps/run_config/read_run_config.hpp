// How the configuration of a run is merged, completed and checked.
#pragma once

#include "apps/config/config_sources.hpp"
#include "apps/run_config/run_config.hpp"

#include <string>

namespace troupe {

/// The value of the key `resume`, before the configuration of that run is put below the sources.
/// @throws ConfigError, UsageError for sources that cannot be read.
std::string resume_in(const ConfigSources& sources);

/// Merges a configuration and checks all of it. Draws the seed if it is -1.
/// @throws ConfigError with every defect.
RunConfig read_run_config(const ConfigSources& sources);

} // namespace troupe
