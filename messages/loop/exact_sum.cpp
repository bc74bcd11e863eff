#include "messages/loop/exact_sum.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace troupe {

void ExactSum::add(double x) {
  constexpr auto largest = std::numeric_limits<double>::max() / 4; // below it no step overflows
  if (!(std::abs(x + (parts.empty() ? 0 : parts.back())) <= largest)) {
    ++beyond;
    return;
  }
  std::size_t kept = 0; // in place: a trainer adds after each batch
  for (auto part : parts) {
    if (std::abs(x) < std::abs(part))
      std::swap(x, part);
    const auto sum = x + part;
    if (const auto rounded_away = part - (sum - x); rounded_away != 0)
      parts[kept++] = rounded_away;
    x = sum;
  }
  parts.resize(kept);
  if (x != 0)
    parts.push_back(x);
}

double ExactSum::value() const {
  if (beyond > 0)
    return std::numeric_limits<double>::quiet_NaN();
  return std::accumulate(parts.begin(), parts.end(), 0.0); // the smallest first, so that all
                                                           // contribute
}

double ExactSum::since(const ExactSum& before) const {
  auto difference = *this;
  difference.beyond -= before.beyond;
  for (const auto part : before.parts)
    difference.add(-part);
  return difference.value();
}

} // namespace troupe
