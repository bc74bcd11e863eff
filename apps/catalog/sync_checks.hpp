// How the extensions of a configuration share parameters, and whether they fit the rest of it.
#pragma once

#include "apps/config/run_config.hpp"
#include "extensions/sync/parameter_sync.hpp"

#include <optional>

namespace troupe {

/// How an extension syncs; nothing where it does not, or its options cannot be.
std::optional<ParameterSyncOptions> sync_of(const ConfiguredExtension& extension);

/// Whether an extension that syncs is ever asked between its worker's joining and leaving.
bool syncs_while_training(const Conditions& conditions);

/// Whether workers share parameters before the update and end behind it, all with the same bits:
/// what they average is then gradients, and their own parameters are newer than the shared ones.
bool ahead_of_shared(const RunConfig& config);

/// Whether what a holder has is what a run's workers came to, and not what they began with.
/// @param parameters of one worker's model
bool holds_result(const SavedHolder& holder, Index parameters, const RunConfig& config);

/// Adds a sentence for each that does not: a second extension that syncs, a wire format, a trigger
/// or a number of workers that its rule cannot do with. What its options alone may not be is told
/// by whoever reads them.
/// @param workers that share parameters; 0: not known
void check_syncs(const RunConfig& config, WorkerId workers, Sentences& errors);

} // namespace troupe
