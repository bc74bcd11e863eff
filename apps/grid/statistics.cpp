#include "troupe/apps/grid/statistics.hpp"

#include <cmath>
#include <limits>

namespace troupe {

double mean_of(const std::vector<double>& xs) {
  double sum = 0;
  for (const auto x : xs)
    sum += x;
  return xs.empty() ? std::numeric_limits<double>::quiet_NaN()
                    : sum / static_cast<double>(xs.size());
}

double deviation_of(const std::vector<double>& xs) {
  if (xs.size() < 2)
    return std::numeric_limits<double>::quiet_NaN();
  const auto mean = mean_of(xs);
  double squares = 0;
  for (const auto x : xs)
    squares += (x - mean) * (x - mean);
  return std::sqrt(squares / static_cast<double>(xs.size() - 1));
}

} // namespace troupe
