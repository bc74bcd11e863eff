#include "messages/grid/asha.hpp"

#include <catch2/catch.hpp>

#include <limits>
#include <map>
#include <random>
#include <set>

using namespace troupe;

namespace {

/// The rule as in the paper: looks at all completed trials each time.
class ReferenceAsha {
public:
  ReferenceAsha(std::uint32_t rungs, std::uint32_t factor) : factor_(factor), rungs_(rungs) {}

  void recall_promotion(std::uint64_t trial, std::uint32_t rung) {
    rungs_[rung - 1].promoted.insert(trial);
  }
  void ended(std::uint64_t trial, std::uint32_t rung, double score) {
    rungs_[rung].best_first.emplace(score, trial);
  }
  void forget(std::uint64_t trial, std::uint32_t rung) {
    std::erase_if(rungs_[rung].best_first, [&](const auto& one) { return one.second == trial; });
  }
  std::optional<AshaScheduler::Promotion> promote() {
    for (auto rung = static_cast<std::uint32_t>(rungs_.size()) - 1; rung > 0; --rung) {
      auto& below = rungs_[rung - 1];
      auto good = below.best_first.size() / factor_;
      for (auto at = below.best_first.begin(); good > 0; ++at, --good)
        if (below.promoted.insert(at->second).second)
          return AshaScheduler::Promotion{at->second, rung};
    }
    return {};
  }

private:
  struct Rung {
    std::multimap<double, std::uint64_t> best_first;
    std::set<std::uint64_t> promoted;
  };
  std::uint32_t factor_;
  std::vector<Rung> rungs_;
};

} // namespace

TEST_CASE("promotions are those of the paper's rule for any results", "[asha]") {
  const auto seed = GENERATE(range(1u, 21u));
  std::mt19937 random{seed};
  const auto below
    = [&random](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  const auto factor = 2 + below(3), rungs = 1 + below(4);
  AshaScheduler asha{rungs, factor, Choose::min};
  ReferenceAsha rule{rungs, factor};
  INFO("seed " << seed << ", factor " << factor << ", rungs " << rungs);
  for (std::uint64_t trial = 1; trial <= 300; ++trial) {
    const auto score = static_cast<double>(below(40)); // many are equal
    const auto rung = below(5) == 0 ? below(rungs) : 0;
    asha.ended(trial, rung, score);
    rule.ended(trial, rung, score);
    if (rungs > 1 && below(20) == 0) { // one that has completed, or has not yet
      const auto promoted = 1 + below(300);
      asha.recall_promotion(promoted, 1);
      rule.recall_promotion(promoted, 1);
    }
    if (below(4) == 0) {
      const auto forgotten = 1 + below(300), from = below(rungs);
      asha.forget(forgotten, from);
      rule.forget(forgotten, from);
    }
    while (below(3) > 0) {
      const auto promotion = asha.promote(), expected = rule.promote();
      REQUIRE(promotion.has_value() == expected.has_value());
      if (!promotion)
        break;
      REQUIRE(promotion->trial == expected->trial);
      REQUIRE(promotion->rung == expected->rung);
      const auto next = static_cast<double>(below(40));
      asha.ended(promotion->trial, promotion->rung, next);
      rule.ended(promotion->trial, promotion->rung, next);
    }
  }
}

TEST_CASE("the paper's rule: one of factor trials is promoted, to the highest rung first",
          "[asha]") {
  AshaScheduler asha{3, 3, Choose::min};
  for (std::uint64_t trial = 1; trial <= 9; ++trial)
    asha.ended(trial, 0, static_cast<double>(trial));
  for (std::uint64_t trial = 1; trial <= 3; ++trial) {
    const auto promotion = asha.promote();
    REQUIRE(promotion);
    CHECK(promotion->trial == trial);
    CHECK(promotion->rung == 1);
    asha.ended(trial, 1, static_cast<double>(10 - trial));
  }
  const auto last = asha.promote();
  REQUIRE(last);
  CHECK(last->trial == 3); // the order may be reversed in a higher rung
  CHECK(last->rung == 2);
  CHECK_FALSE(asha.promote());
}

TEST_CASE("of trials that qualify on several rungs the highest goes first", "[asha]") {
  AshaScheduler asha{3, 2, Choose::min};
  for (std::uint64_t trial = 1; trial <= 4; ++trial)
    asha.ended(trial, 0, static_cast<double>(trial));
  REQUIRE(asha.promote()->trial == 1);
  REQUIRE(asha.promote()->trial == 2);
  asha.ended(1, 1, 1);
  asha.ended(2, 1, 2); // the better of two may go to rung 2,
  asha.ended(5, 0, 0);
  asha.ended(6, 0, 9); // and the best of six to rung 1
  const auto first = asha.promote(), second = asha.promote();
  REQUIRE((first && second));
  CHECK((first->trial == 1 && first->rung == 2));
  CHECK((second->trial == 5 && second->rung == 1));
}

TEST_CASE("no trial is promoted before as many trials as the factor have completed", "[asha]") {
  AshaScheduler asha{2, 4, Choose::max};
  for (std::uint64_t trial = 1; trial <= 3; ++trial) {
    asha.ended(trial, 0, 0.5);
    CHECK_FALSE(asha.promote());
  }
  asha.ended(4, 0, 0.9);
  CHECK(asha.promote()->trial == 4);
}

TEST_CASE("NaN is worse than all other scores", "[asha]") {
  AshaScheduler asha{2, 2, Choose::max};
  asha.ended(1, 0, std::numeric_limits<double>::quiet_NaN());
  asha.ended(2, 0, -1e300);
  CHECK(asha.promote()->trial == 2);
  CHECK_FALSE(asha.promote());
}

TEST_CASE("halving without rungs or with a factor of one is refused", "[asha]") {
  CHECK_THROWS_WITH(AshaScheduler(0, 3, Choose::min), Catch::Contains("no rung"));
  // cure: successive halving has no rung; give at least one
  CHECK_NOTHROW(AshaScheduler(1, 3, Choose::min));
  CHECK_THROWS_WITH(AshaScheduler(2, 1, Choose::min), Catch::Contains("at least 2"));
}
