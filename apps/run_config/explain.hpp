// Where a value of the configuration comes from: `troupe train --explain KEY`.
#pragma once

#include "apps/config/config_sources.hpp"

#include <string>

namespace troupe {

/// A line for each value at or below a key: the value and its source; indented below it, the values
/// that it overrides, down to the default.
///
///   training.epochs: 5                 command line: training.epochs=5
///     10                               run.yaml:4:3
///     20                               default
///
/// @param key "training.epochs", "training" or a leaf's name that is unique in all sections
/// @throws ConfigError for an unknown key, with the nearest one, and as read_run_config.
std::string explain(const ConfigSources& sources, const std::string& key);

} // namespace troupe
