// When the extensions of a run will end it, as far as known beforehand: for progress displays.
#pragma once

#include "apps/catalog/extension_catalog.hpp"

#include <vector>

namespace troupe {

/// Per worker; 0: unknown. Epochs are known from `training.epochs`.
struct ExpectedEnd {
  Step batches = 0;
  double seconds = 0;
};

/// The earliest ends set by `finish_after`, `stop_after_time_elapsed` and `terminal_conditions`.
ExpectedEnd expected_end(const std::vector<ConfiguredExtension>& extensions);

} // namespace troupe
