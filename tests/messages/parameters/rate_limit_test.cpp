#include "messages/parameters/rate_limit.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <vector>

using namespace troupe;

namespace {

/// A turn of a worker: it works, then a trigger asks for a sync, which has a cost.
struct WorkCycle {
  double work = 0, cost = 0;
};

std::vector<WorkCycle> script(unsigned seed, int turns) {
  std::mt19937 random{seed};
  std::exponential_distribution<double> work{2}, cost{4};
  std::vector<WorkCycle> all;
  for (int i = 0; i < turns; ++i)
    all.push_back({work(random), cost(random)});
  return all;
}

/// The turns at which the limit lets a worker sync.
std::vector<int> decisions(const RateLimitOptions& options, const std::vector<WorkCycle>& turns) {
  double now = 1000;
  RateLimit limit{options, now};
  std::vector<int> synced;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    now += turns[i].work;
    if (!limit.may_sync(now))
      continue;
    limit.synced(now, now + turns[i].cost);
    now += turns[i].cost;
    synced.push_back(static_cast<int>(i));
  }
  return synced;
}

/// The same by Legion's formula: work = now - tEnd; sync iff E < r * work; tEnd = now; E = 0.2 d +
/// 0.8 E.
std::vector<int> legion(double r, bool seeded, const std::vector<WorkCycle>& turns) {
  double now = 0, end = 0, E = 0;
  std::vector<int> synced;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    now += turns[i].work;
    if (E < r * (now - end)) {
      const auto d = turns[i].cost;
      E = synced.empty() && seeded ? d : 0.2 * d + 0.8 * E;
      end = now += d;
      synced.push_back(static_cast<int>(i));
    }
  }
  return synced;
}

/// Seconds between the syncs of a worker that asks every millisecond, each of cost 1.
std::vector<double> gaps(const RateLimitOptions& options, int syncs) {
  double now = 0;
  RateLimit limit{options, now};
  std::vector<double> all;
  while (static_cast<int>(all.size()) < syncs) {
    double work = 0;
    while (!limit.may_sync(now + work))
      work += 0.001;
    all.push_back(work);
    limit.synced(now + work, now + work + 1);
    now += work + 1;
  }
  return all;
}

/// The share of time for syncs of a cost, for a worker that asks every 10 ms, after a hundred
/// syncs.
double steady_share(const RateLimitOptions& options, double cost = 1) {
  double now = 0;
  RateLimit limit{options, now};
  while (limit.syncs() < 100) {
    now += 0.01;
    if (limit.may_sync(now)) {
      limit.synced(now, now + cost);
      now += cost;
    }
  }
  return limit.measured_share().value();
}

} // namespace

TEST_CASE("of work, decisions are those of Legion's formula", "[rate_limit][L14]") {
  const auto seed = GENERATE(range(1u, 6u));
  const auto r = GENERATE(0.1, 0.25, 0.5, 1.0, 2.0);
  const auto turns = script(seed, 500);
  for (const auto warmup : {false, true})
    CHECK(decisions({.maximum_rate = r, .of = RateOf::work, .legion_warmup = warmup}, turns)
          == legion(r, !warmup, turns));
}

TEST_CASE("of total, decisions are those of work at r / (1 - r)", "[rate_limit][L14]") {
  const auto r = GENERATE(0.1, 0.25, 0.5, 0.75);
  const auto turns = script(7, 500);
  CHECK(decisions({.maximum_rate = r}, turns) == legion(r / (1 - r), true, turns));
}

TEST_CASE("of work, the comparison is strict", "[rate_limit][L14]") {
  RateLimit limit{{.maximum_rate = 0.5, .of = RateOf::work}, 0};
  limit.synced(1, 2);
  CHECK_FALSE(limit.may_sync(4)); // E = 1 is not below 0.5 * 2
  CHECK(limit.may_sync(4.001));
}

TEST_CASE("work is counted from the end of the last sync", "[rate_limit][L14]") {
  RateLimit limit{{.maximum_rate = 0.5}, 0};
  limit.synced(0, 10);
  CHECK_FALSE(limit.may_sync(19.9));
  CHECK(limit.may_sync(20));
}

TEST_CASE("the first trigger syncs, whatever the limit", "[rate_limit][L14]") {
  for (const auto of : {RateOf::total, RateOf::work})
    CHECK(RateLimit{{.maximum_rate = 0.001, .of = of}, 5}.may_sync(5.0));
}

TEST_CASE("the average cost begins with the first cost", "[rate_limit][L15]") {
  RateLimit limit{{}, 0};
  limit.synced(0, 3);
  CHECK(limit.average_cost() == 3);
  limit.synced(10, 11);
  CHECK(limit.average_cost() == Approx(0.2 * 1 + 0.8 * 3));
}

TEST_CASE("the decay of the average is the user's", "[rate_limit][L15]") {
  RateLimit limit{{.decay = 1}, 0};
  limit.synced(0, 3);
  limit.synced(10, 11);
  CHECK(limit.average_cost() == 1);
}

TEST_CASE("if the average begins with the first cost, all gaps are equal", "[rate_limit][L15]") {
  const auto all = gaps({.maximum_rate = 0.25, .of = RateOf::work}, 10);
  CHECK(all[0] == 0);
  for (std::size_t i = 1; i < all.size(); ++i)
    CHECK(all[i] == Approx(4).margin(0.002));
}

TEST_CASE("Legion's warm-up takes 0.2, 0.36, 0.488 ... of the gap", "[rate_limit][L15]") {
  const auto all = gaps({.maximum_rate = 0.25, .of = RateOf::work, .legion_warmup = true}, 11);
  const double limit = 4;
  CHECK(all[1] / limit == Approx(0.2).margin(0.001));
  CHECK(all[2] / limit == Approx(0.36).margin(0.001));
  CHECK(all[3] / limit == Approx(0.488).margin(0.001));
  for (std::size_t i = 1; i < all.size(); ++i)
    CHECK(all[i] / limit == Approx(1 - std::pow(0.8, i)).margin(0.001));
}

TEST_CASE("a cost twice as high keeps the share", "[rate_limit][L16]") {
  CHECK(steady_share({.maximum_rate = 0.25}, 1) == Approx(0.25).epsilon(0.01));
  CHECK(steady_share({.maximum_rate = 0.25}, 2) == Approx(0.25).epsilon(0.01));
}

TEST_CASE("the share is measured from the second sync on, after Legion's warm-up from the eleventh",
          "[rate_limit][L16]") {
  const auto warmup = GENERATE(false, true);
  RateLimit limit{{.legion_warmup = warmup}, 0};
  double now = 0;
  for (int i = 0; i < (warmup ? 10 : 1); ++i, now += 5)
    limit.synced(now, now + 5); // nothing but syncs
  CHECK_FALSE(limit.measured_share());
  limit.synced(now + 3, now + 4);
  CHECK(limit.measured_share().value() == Approx(0.25));
}

TEST_CASE("of total is the true share, of work r / (1 + r)", "[rate_limit][L17]") {
  const auto r = GENERATE(0.1, 0.25, 0.5);
  CHECK(steady_share({.maximum_rate = r}) == Approx(r).epsilon(0.01));
  CHECK(steady_share({.maximum_rate = r, .of = RateOf::work}) == Approx(r / (1 + r)).epsilon(0.01));
}

TEST_CASE("the default rate of 1 syncs at every trigger", "[rate_limit][L17]") {
  CHECK(RateLimitOptions{}.maximum_rate == 1);
  CHECK(decisions({}, script(3, 20)).size() == 20);
}

TEST_CASE("a rate of 0 never syncs", "[rate_limit][L17]") {
  for (const auto of : {RateOf::total, RateOf::work})
    CHECK(decisions({.maximum_rate = 0, .of = of}, script(3, 100)).empty());
}

TEST_CASE("invalid rates and decays are refused", "[rate_limit][L17]") {
  const auto made = [](RateLimitOptions options) { return RateLimit{options, 0}; };
  CHECK_THROWS_WITH(made({.maximum_rate = -0.25}), Catch::Contains("-0.25"));
  CHECK_THROWS_WITH(made({.maximum_rate = std::nan("")}), Catch::Contains("maximum_rate"));
  CHECK_THROWS_WITH(made({.maximum_rate = HUGE_VAL}), Catch::Contains("maximum_rate"));
  CHECK_THROWS_WITH(made({.maximum_rate = 1.5}), Catch::Contains("of: work"));
  CHECK_NOTHROW(made({.maximum_rate = 1.5, .of = RateOf::work}));
  CHECK_THROWS_WITH(made({.decay = 0}), Catch::Contains("decay"));
  CHECK_THROWS_WITH(made({.decay = 1.5}), Catch::Contains("decay"));
}

TEST_CASE("the kinds of share have names", "[rate_limit][L17]") {
  for (const auto of : {RateOf::total, RateOf::work}) {
    auto read = RateOf::total;
    CHECK(from_text(to_string(of), read));
    CHECK(read == of);
  }
  auto kept = RateOf::work;
  CHECK_FALSE(from_text("everything", kept));
  CHECK(kept == RateOf::work);
}

TEST_CASE("a restored limit decides as one that was never stopped", "[rate_limit][B45]") {
  RateLimitOptions options;
  options.maximum_rate = 0.25;
  RateLimit undisturbed{options, 0};
  for (auto i = 1; i <= 15; ++i)
    undisturbed.synced(10.0 * i, 10.0 * i + 1 + 0.1 * i);
  RateLimit resumed{options, 1000}; // on a clock of another process
  resumed.restore(undisturbed.state(), 1000);
  CHECK(resumed.average_cost() == undisturbed.average_cost());
  CHECK(resumed.syncs() == undisturbed.syncs());
  CHECK(resumed.measured_share().value() == Approx(undisturbed.measured_share().value()));
  const auto end = 150 + 1 + 1.5;
  for (auto work = 0.0; work < 10; work += 0.5)
    CHECK(resumed.may_sync(1000 + work) == undisturbed.may_sync(end + work));
}
