#include "apps/cluster/launch_outcome.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

namespace {

/// One holder that has ended normally, and workers with these exit codes.
LaunchOutcome outcome_of(const std::vector<std::optional<int>>& workers, bool interrupted = false,
                         bool all_began = true) {
  LaunchOutcome outcome{{{LaunchedRole::holder, 0}}, interrupted, all_began};
  for (const auto& code : workers)
    outcome.processes.push_back({LaunchedRole::worker, code});
  return outcome;
}

} // namespace

TEST_CASE("a cluster is done when its processes are done", "[launch]") {
  CHECK(outcome_of({0, 0}).exit_code() == 0);
  CHECK_FALSE(outcome_of({0, 0}).stopped_early());
  CHECK_FALSE(outcome_of({0, {}}).failed());
}

TEST_CASE("a stopped cluster can be resumed if one worker has saved", "[launch][T14]") {
  CHECK(outcome_of({75, 75}, true).exit_code() == 75);
  CHECK(outcome_of({0, 75}).exit_code() == 75);
  CHECK(outcome_of({75, 130}, true).exit_code() == 75); // the other had not joined yet
  CHECK(outcome_of({130, 130}, true).exit_code() == 130);
  CHECK(outcome_of({0, 130}, true).exit_code() == 75); // it finished before the other one joined
  CHECK(outcome_of({0, 130}, true).stopped_early());
  CHECK(outcome_of({0}, true, false).exit_code() == 75);
  CHECK_FALSE(outcome_of({75, 130}, true).failed());
}

TEST_CASE("the first failed process is named", "[launch]") {
  CHECK(outcome_of({{}, 70, 69}).failed() == 2);
  CHECK(outcome_of({{}, 70, 69}).exit_code() == 70);
  CHECK(outcome_of({0, 130}).failed() == 2); // without an interrupt
  CHECK(outcome_of({75, 69}, true).exit_code() == 69);
  auto holder = outcome_of({{}, 69}, true);
  holder.processes.front().code = 130; // which is never interrupted
  CHECK(holder.failed() == 0);
}

TEST_CASE("a signal or an internal failure is a crash, other exit codes are deliberate",
          "[launch][R16]") {
  const auto crashed = [](std::optional<int> code) {
    return LaunchedProcess{LaunchedRole::worker, code}.has_crashed();
  };
  for (const auto code : {70, 128 + 6, 128 + 9, 128 + 11})
    CHECK(crashed(code));
  for (const auto code : {0, 2, 65, 69, 74, 75, 77, 78, 127, 130})
    CHECK_FALSE(crashed(code));
  CHECK_FALSE(crashed({})); // it is running
}

TEST_CASE("a cluster that ends after a crash ends with 70 for any signal", "[launch][R16]") {
  CHECK(LaunchOutcome::exit_code_after({LaunchedRole::worker, 128 + 11}) == 70);
  CHECK(LaunchOutcome::exit_code_after({LaunchedRole::worker, 70}) == 70);
  CHECK(LaunchOutcome::exit_code_after({LaunchedRole::worker, 78}) == 78);
  CHECK(outcome_of({75, 137}, true).exit_code() == 70);
}

TEST_CASE("training continues without an evaluator, whose failure is reported at the end",
          "[launch]") {
  auto outcome = outcome_of({0, 0});
  outcome.processes.push_back({LaunchedRole::evaluator, 70});
  CHECK_FALSE(outcome.failed());
  CHECK(outcome.exit_code() == 70);
  outcome.processes.back().code = 75;
  CHECK(outcome.exit_code() == 0);
}
