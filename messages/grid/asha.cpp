#include "messages/grid/asha.hpp"

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
  const Ended one{key, at.ended++, trial};
  at.good.insert(one);
  at.waiting.insert(one);
  at.drop_worst(); // which may be this one
  at.settle(factor_);
}

void AshaScheduler::forget(Trial trial, std::uint32_t rung) {
  auto& at = rungs_[rung];
  for (auto* all : {&at.good, &at.others, &at.waiting})
    std::erase_if(*all, [trial](const Ended& one) { return one.trial == trial; });
  at.settle(factor_);
}

void AshaScheduler::Rung::drop_worst() {
  const auto worst = std::prev(good.end());
  waiting.erase(*worst);
  others.insert(good.extract(worst));
}

void AshaScheduler::Rung::settle(std::uint32_t factor) {
  const auto most = (good.size() + others.size()) / factor;
  while (good.size() > most)
    drop_worst();
  while (good.size() < most) {
    const auto best = others.extract(others.begin()).value();
    good.insert(best);
    waiting.insert(best);
  }
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
