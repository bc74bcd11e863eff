// How an extension of a configuration shares parameters.
#pragma once

#include "apps/catalog/extension_catalog.hpp"
#include "extensions/sync/parameter_sync.hpp"

#include <optional>

namespace troupe {

/// The sync options of an extension; nothing if it does not sync or its options are invalid.
std::optional<ParameterSyncOptions> sync_of(const ConfiguredExtension& extension);

/// Whether a worker joins those that share parameters, or leaves them, at that moment.
bool joins_or_leaves(const Condition& condition);

/// Whether an extension ever syncs between its worker's joining and leaving.
bool syncs_while_training(const Conditions& conditions);

} // namespace troupe
