// Where the extensions of a run will end it, as far as they say so beforehand: for who draws
// progress.
#pragma once

#include "apps/catalog/extension_catalog.hpp"

#include <vector>

namespace troupe {

/// Of each worker; 0: not known. Epochs are known without asking (`training.epochs`).
struct ExpectedEnd {
  Step batches = 0;
  double seconds = 0;
};

/// The nearest ends that `finish_after`, `stop_after_time_elapsed` and `terminal_conditions` have.
ExpectedEnd expected_end(const std::vector<ConfiguredExtension>& extensions);

} // namespace troupe
