// Checks whether extensions fit the rest of a configuration, and each other.
#pragma once

#include "apps/run_config/run_config.hpp"

namespace troupe {

/// Adds a sentence for each conflict that an extension knows of, for example a modified setting that
/// the optimizer does not have, and for a second extension that shares parameters. Errors within
/// the options of one extension are reported by read_extension.
/// @param workers that share parameters; 0: unknown
void check_extensions(const RunConfig& config, WorkerId workers, Sentences& errors);

/// Checks that the extensions of a run (wanted_extensions.hpp) and their companions have different
/// names and record names, and do not wait for each other. @throws ConfigError
void check_together(std::vector<ConfiguredExtension> wanted);

} // namespace troupe
