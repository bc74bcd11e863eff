// Mean and deviation over the repetitions of a configuration.
#pragma once

#include "messages/log/statistics.hpp"

namespace troupe {

/// `spread_of`, with NaN for undefined values: all of them without a value, the deviation of a
/// single value.
Spread spread_of_runs(std::span<const double> values);

} // namespace troupe
