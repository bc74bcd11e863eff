// The defaults of a run's configuration.
#pragma once

#include "apps/config/config_sources.hpp"

namespace troupe {

/// All sources merged without defaults. It shows which components and extensions are named, hence
/// which defaults apply. Clashes are ignored here, and reported when the sources are merged over
/// the defaults.
/// @throws ConfigError for files that cannot be read.
config::Node draft_of(const ConfigSources& sources);

/// The defaults of every key that a run of that draft knows.
/// @throws ConfigError for an unknown component or extension.
config::Node run_defaults(const config::Node& draft, bool in_cluster);

/// Completes the extensions in a merged tree: one that was switched off and on again gets its
/// defaults, and a deleted one is switched off explicitly, since it would reappear when the written
/// configuration is read again.
void complete_extensions(config::Node& tree, const config::Node& defaults);

} // namespace troupe
