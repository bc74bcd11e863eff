#pragma once

#include "base/types.hpp"

namespace troupe {

/// Result of one training step.
struct StepResult {
  double loss = 0;    ///< mean over the numbers that count in the batch, before the update
  Index examples = 0; ///< in the batch
  double weight = 0;  ///< of the mean, see BasicModel::weight; 0: there is no loss
  bool skipped = false;
};

} // namespace troupe
