#include "troupe/messages/asha.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace troupe {

AshaScheduler::AshaScheduler(std::uint32_t rungs, std::uint32_t factor, Choose choose)
  : factor_(factor),
    choose_(choose),
    rungs_(rungs) {
  if (rungs == 0)
    throw std::invalid_argument("successive halving has no rung; give at least one");
  if (factor < 2)
    throw std::invalid_argument("the factor of successive halving is " + std::to_string(factor)
                                + "; give at least 2, like 3");
}

void AshaScheduler::recall_promotion(Trial trial, std::uint32_t rung) {
  rungs_[rung - 1].promoted.insert(trial);
}

void AshaScheduler::ended(Trial trial, std::uint32_t rung, double score) {
  const auto key = std::isnan(score)        ? std::numeric_limits<double>::infinity()
                   : choose_ == Choose::min ? score
                                            : -score;
  rungs_[rung].best_first.emplace(key, trial);
}

void AshaScheduler::forget(Trial trial, std::uint32_t rung) {
  std::erase_if(rungs_[rung].best_first, [&](const auto& one) { return one.second == trial; });
}

std::optional<AshaScheduler::Promotion> AshaScheduler::promote() {
  for (auto rung = last_rung(); rung > 0; --rung) {
    auto& below = rungs_[rung - 1];
    auto good = below.best_first.size() / factor_;
    for (auto at = below.best_first.begin(); good > 0; ++at, --good)
      if (below.promoted.insert(at->second).second)
        return Promotion{at->second, rung};
  }
  return {};
}

} // namespace troupe
