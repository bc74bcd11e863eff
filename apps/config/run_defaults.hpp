// What a run has unless its configuration says otherwise.
#pragma once

#include "apps/config/config_sources.hpp"

namespace troupe {

/// All that the sources say together, without defaults: it tells which components and extensions
/// are named, hence which defaults there are. What does not fit is left out here, and told of when
/// the sources are laid over the defaults.
/// @throws ConfigError for files that cannot be read.
config::Node draft_of(const ConfigSources& sources);

/// The defaults of every key that a run of that draft knows.
/// @throws ConfigError for a component or an extension that nobody knows.
config::Node run_defaults(const config::Node& draft, bool in_cluster);

/// Makes sources that are put together say all of the usual extensions: one that was switched off
/// and on again has its defaults, and what was deleted is off, since it would come back where the
/// configuration that is written is read again.
void complete_extensions(config::Node& tree, const config::Node& defaults);

/// Whether an extension's section takes it away.
bool is_off(const config::Node& section);

} // namespace troupe
