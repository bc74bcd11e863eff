// Checks whether extensions fit the rest of a configuration, and each other.
#pragma once

#include "apps/run_config/run_config.hpp"

namespace troupe {

/// Adds a sentence for each that does not, for example a modified setting that the optimizer does
/// not have, or a missing time limit. Errors within the options of one extension are reported by
/// read_extension.
void check_extensions(const RunConfig& config, Sentences& errors);

/// Checks that the extensions of a run (wanted_extensions.hpp) and their companions have different
/// names and record names, and do not wait for each other. @throws ConfigError
void check_together(std::vector<ConfiguredExtension> wanted);

} // namespace troupe
