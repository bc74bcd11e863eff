// When the extensions of a run will end it, as far as known beforehand: for progress displays.
#pragma once

#include "apps/catalog/extension_catalog.hpp"
#include "extensions/support/run_hooks.hpp"

#include <vector>

namespace troupe {

/// The earliest end that an extension expects. Epochs are known from `training.epochs`.
ExpectedEnd expected_end(const std::vector<ConfiguredExtension>& extensions);

} // namespace troupe
