#include "apps/cluster/restart_budget.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>
#include <vector>

using namespace troupe;
using Catch::Contains;

namespace {

Crash crash_of(std::size_t process, bool saved_more = true) {
  return {LaunchedRole::worker, process, true, saved_more};
}

} // namespace

TEST_CASE("the limit of restarts holds within a minute, and later more are allowed", "[R16]") {
  RestartBudget budget{3};
  for (const auto now : {0.0, 10.0, 20.0})
    CHECK_FALSE(budget.refuse(crash_of(0), now));
  CHECK(budget.spent() == 3);
  const auto refusal = budget.refuse(crash_of(0), 59.9);
  REQUIRE(refusal);
  CHECK_THAT(*refusal, Contains("3 restarts within 60 s (--restarts)"));
  CHECK_FALSE(budget.refuse(crash_of(0), 60));
  CHECK(budget.refuse(crash_of(0), 69.9));
  CHECK_FALSE(budget.refuse(crash_of(0), 70));
}

TEST_CASE("crashes of different processes share the budget", "[R16]") {
  RestartBudget budget{2};
  CHECK_FALSE(budget.refuse(crash_of(0), 1));
  CHECK_FALSE(budget.refuse(crash_of(1), 2));
  CHECK(budget.refuse(crash_of(2), 3));
}

TEST_CASE("for any crashes no minute has more restarts than the limit, and none is refused "
          "without need",
          "[R16]") {
  std::mt19937 random{16};
  for (int run = 0; run < 200; ++run) {
    const auto most = static_cast<int>(random() % 6);
    RestartBudget budget{most};
    std::vector<double> restarts;
    auto now = 0.0;
    for (int crash = 0; crash < 100; ++crash) {
      now += static_cast<double>(random() % 400) / 10; // seconds of virtual time
      const auto recent = std::count_if(restarts.begin(), restarts.end(), [&](double at) {
        return at > now - RestartBudget::window;
      });
      const auto refused = budget.refuse(crash_of(random() % 4), now).has_value();
      INFO("run " << run << ", crash " << crash << " at " << now << " of at most " << most);
      REQUIRE(refused == (recent >= most));
      if (!refused)
        restarts.push_back(now);
    }
  }
}

TEST_CASE("a process that crashes slowly without saving is given up, too", "[R16]") {
  RestartBudget budget{3};
  auto now = 0.0;
  CHECK_FALSE(budget.refuse(crash_of(0, true), now));
  for (int i = 0; i < 2; ++i)
    CHECK_FALSE(budget.refuse(crash_of(0, false), now += 1000));
  CHECK_FALSE(budget.refuse(crash_of(1, false), now += 1000)); // another process
  CHECK_FALSE(budget.refuse(crash_of(0, true), now += 1000));  // which has saved more
  for (int i = 0; i < 2; ++i)
    CHECK_FALSE(budget.refuse(crash_of(0, false), now += 1000));
  const auto refusal = budget.refuse(crash_of(0, false), now += 1000);
  REQUIRE(refusal);
  CHECK_THAT(*refusal, Contains("saved nothing new in 3 restarts"));
}

TEST_CASE("an evaluator, which saves nothing, is limited only by its crashes within a minute",
          "[R16]") {
  RestartBudget budget{2};
  const Crash crash{LaunchedRole::evaluator, 0, false, false};
  for (int i = 0; i < 20; ++i)
    CHECK_FALSE(budget.refuse(crash, 31.0 * i));
  CHECK_FALSE(budget.refuse(crash, 19 * 31.0 + 30));
  CHECK(budget.refuse(crash, 19 * 31.0 + 30.5));
}

TEST_CASE("a parameter holder is restarted only if it has saved parameters", "[R16]") {
  RestartBudget budget{3};
  const auto refusal = budget.refuse({LaunchedRole::holder, 0, false, false}, 0);
  REQUIRE(refusal);
  CHECK_THAT(*refusal, Contains("no parameters to resume from"));
  CHECK(budget.spent() == 0);
  CHECK_FALSE(budget.refuse({LaunchedRole::holder, 0, true, true}, 0));
  CHECK_FALSE(
    budget.refuse({LaunchedRole::worker, 1, false, false}, 0)); // a worker joins the others again
}

TEST_CASE("with 0 restarts no process is restarted", "[R16]") {
  RestartBudget budget{0};
  CHECK_THAT(budget.refuse(crash_of(0), 0).value_or(""), Contains("--restarts"));
  CHECK_THAT(budget.refuse(crash_of(0), 1e6).value_or(""), Contains("--restarts"));
}
