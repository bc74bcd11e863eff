// What the repetitions of a configuration come to.
#pragma once

#include "messages/log/statistics.hpp"

namespace troupe {

/// `spread_of`, with NaN for what so few values do not have: all of none, the deviation of one.
Spread spread_of_runs(std::span<const double> values);

} // namespace troupe
