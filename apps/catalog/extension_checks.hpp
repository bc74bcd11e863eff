// Whether extensions fit the rest of a configuration, and each other.
#pragma once

#include "apps/config/run_config.hpp"

namespace troupe {

/// Adds a sentence for each that does not: a setting to be modified that the optimizer does not
/// have, a limit of time that nobody gave. What its options alone may not be is told by whoever
/// reads them (read_extension).
void check_extensions(const RunConfig& config, Sentences& errors);

/// That the extensions of a run (wanted_extensions.hpp), with those that they bring along, can be
/// told apart, call their records differently and do not wait for each other. @throws ConfigError
void check_together(std::vector<ConfiguredExtension> wanted);

} // namespace troupe
