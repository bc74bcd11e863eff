// Means over the repetitions of a configuration.
#pragma once

#include <vector>

namespace troupe {

/// NaN of no values.
double mean_of(const std::vector<double>& xs);

/// The sample's standard deviation, over n - 1; NaN of fewer than two values.
double deviation_of(const std::vector<double>& xs);

} // namespace troupe
