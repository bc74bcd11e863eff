// Whether a sync suits the rest of a configuration.
#pragma once

#include "extensions/support/run_hooks.hpp"
#include "extensions/sync/parameter_sync_options.hpp"

namespace troupe {

/// A sentence for each conflict: a wire format, a number of workers or a trigger that does not suit
/// the rule.
Sentences sync_defects(const ParameterSyncOptions& sync, const ConfiguredExtension& self,
                       const RunFacts& run);

/// Whether it ever syncs between its worker's joining and leaving.
bool syncs_while_training(const Conditions& conditions);

} // namespace troupe
