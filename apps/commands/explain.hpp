// Where a value of the configuration comes from: `troupe train --explain KEY`.
#pragma once

#include "apps/config/run_config.hpp"

#include <string>

namespace troupe {

/// A line for each value at or below a key: the value and where it was set; indented below it, what
/// it would be without that layer, down to the default.
///
///   training.epochs: 5                 command line: training.epochs=5
///     10                               run.yaml:4:3
///     20                               default
///
/// @param key "training.epochs", "training" or the name of a leaf that only one section has
/// @throws ConfigError for a key that is not there, with the nearest, and as read_run_config.
std::string explain(const ConfigSources& sources, const std::string& key);

} // namespace troupe
