#include "troupe/messages/asha.hpp"

#include <cmath>
#include <iterator>
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
  auto& at = rungs_[rung];
  const auto before = at.good.size() + at.others.size();
  const auto is_good = [&at](const Ended& ended) {
    at.good.insert(ended);
    at.waiting.insert(ended);
  };
  is_good({key, before, trial}); // in the place of the worst, which may be itself
  const auto worst = std::prev(at.good.end());
  at.waiting.erase(*worst);
  at.others.insert(at.good.extract(worst));
  if (at.good.size() < (before + 1) / factor_)
    is_good(at.others.extract(at.others.begin()).value());
}

void AshaScheduler::forget(Trial trial, std::uint32_t rung) {
  std::erase_if(rungs_[rung].best_first, [&](const auto& one) { return one.second == trial; });
}

std::optional<AshaScheduler::Promotion> AshaScheduler::promote() {
  for (auto rung = last_rung(); rung > 0; --rung) {
    auto& below = rungs_[rung - 1];
    while (!below.waiting.empty()) {
      const auto best = below.waiting.extract(below.waiting.begin()).value().trial;
      if (below.promoted.insert(best).second)
        return Promotion{best, rung};
    }
  }
  return {};
}

} // namespace troupe
