// What larger batches would cost: measured with the run's own model and data.
#pragma once

#include "apps/why/costs.hpp"

#include <filesystem>

namespace troupe {

/// Seconds of a step for batches of several sizes, the present size first.
struct StepTime {
  Step size = 0;
  double seconds = 0;
};

/// The smallest size from which on larger batches gain little; nothing if that is the present one.
std::optional<LargerBatches> larger_batches(const std::vector<StepTime>& times);

/// Trains on a few batches of the present size, four times that, and so on, for a second or two.
/// @throws Failure if problem or model cannot be made again
std::vector<StepTime> measure_steps(const std::filesystem::path& configuration);

} // namespace troupe
