#include "apps/grid/statistics.hpp"

#include <limits>

namespace troupe {

Spread spread_of_runs(std::span<const double> values) {
  constexpr auto unknown = std::numeric_limits<double>::quiet_NaN();
  if (values.empty())
    return {unknown, unknown, unknown, unknown};
  auto spread = spread_of(values);
  if (values.size() == 1)
    spread.deviation = unknown;
  return spread;
}

} // namespace troupe
