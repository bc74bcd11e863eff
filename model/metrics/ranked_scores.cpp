#include "model/metrics/ranked_scores.hpp"

#include <algorithm>
#include <cmath>

namespace troupe {

void RankedScores::merge(const RankedScores& other) {
  const auto theirs = other; // a copy, because other may be this
  positive_.insert(positive_.end(), theirs.positive_.begin(), theirs.positive_.end());
  negative_.insert(negative_.end(), theirs.negative_.begin(), theirs.negative_.end());
}

std::optional<double> RankedScores::area() const {
  const auto is_nan = [](double score) { return std::isnan(score); };
  if (positive_.empty() || negative_.empty()
      || std::any_of(positive_.begin(), positive_.end(), is_nan)
      || std::any_of(negative_.begin(), negative_.end(), is_nan))
    return std::nullopt;
  auto below = negative_;
  std::sort(below.begin(), below.end());
  double won = 0;
  for (const auto score : positive_) {
    const auto [first, last] = std::equal_range(below.begin(), below.end(), score);
    won += static_cast<double>(first - below.begin()) + 0.5 * static_cast<double>(last - first);
  }
  return won / static_cast<double>(positive_.size()) / static_cast<double>(negative_.size());
}

} // namespace troupe
