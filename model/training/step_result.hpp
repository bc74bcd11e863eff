#pragma once

#include "base/types.hpp"

namespace troupe {

/// What is known of a step when Learner::update() returns.
enum class StepState : std::uint8_t {
  done,    ///< the step is done
  pending, ///< it is still computed: only `examples` is known; Learner::late_results() has the rest
  dropped, ///< a late result: the step was not made, because an earlier one failed
};

/// Result of one training step.
struct StepResult {
  double loss = 0;      ///< mean over the numbers that count in the batch, before the update
  Index examples = 0;   ///< in the batch
  double weight = 0;    ///< of the mean, see BasicModel::weight; 0: there is no loss
  bool skipped = false; ///< the batch changed nothing: NanPolicy::skip
  StepState state = StepState::done; ///< what of this is known
};

} // namespace troupe
