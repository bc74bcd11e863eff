#include "messages/grid/grid_queue.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

namespace {

TrialEnded trial_end(const RunTrial& trial, TrialOutcome outcome, double score = 0) {
  auto ended = end_of(trial, outcome, "");
  ended.score = score;
  return ended;
}

/// The runs that a queue starts if each succeeds before the next.
std::vector<RunNumber> runs_in_order(GridQueue& queue) {
  std::vector<RunNumber> runs;
  while (const auto trial = queue.next()) {
    runs.push_back(trial->run);
    queue.ended(trial_end(*trial, TrialOutcome::done));
  }
  return runs;
}

GridQueueOptions so_many(RunNumber runs) {
  GridQueueOptions options;
  options.runs = runs;
  return options;
}

} // namespace

TEST_CASE("runs start in order, each once", "[M46]") {
  GridQueue queue{so_many(6)};
  CHECK(runs_in_order(queue) == std::vector<RunNumber>{1, 2, 3, 4, 5, 6});
  CHECK(queue.over());
  CHECK(queue.done() == 6);
  CHECK(queue.left() == 0);
}

TEST_CASE("a resumed grid repeats no completed run", "[M49]") {
  GridQueue queue{so_many(5)};
  queue.recall(trial_end({2, 1, 0}, TrialOutcome::done));
  queue.recall(trial_end({4, 1, 0}, TrialOutcome::stopped));
  CHECK(queue.done() == 1);
  CHECK(queue.left() == 4);
  CHECK(runs_in_order(queue) == std::vector<RunNumber>{4, 1, 3, 5});
}

TEST_CASE("a run that was stopped, resumed and completed is not run again", "[M49]") {
  GridQueue queue{so_many(2)};
  queue.recall(trial_end({1, 1, 0}, TrialOutcome::stopped));
  queue.recall(trial_end({1, 1, 0}, TrialOutcome::done));
  CHECK(runs_in_order(queue) == std::vector<RunNumber>{2});
}

TEST_CASE("results of a larger grid are ignored", "[M49]") {
  GridQueue queue{so_many(2)};
  queue.recall(trial_end({3, 1, 0}, TrialOutcome::stopped));
  queue.recall(trial_end({1, 1, 1}, TrialOutcome::stopped)); // it had one more rung
  CHECK(runs_in_order(queue) == std::vector<RunNumber>{1, 2});
}

TEST_CASE("being stopped costs a run no attempt", "[M48][M49]") {
  GridQueue queue{so_many(1)};
  queue.ended(trial_end(*queue.next(), TrialOutcome::stopped));
  const auto again = queue.next();
  REQUIRE(again);
  CHECK(again->attempt == 1);
}

TEST_CASE("a failed run is retried, and other runs continue when its attempts are used up",
          "[M48]") {
  GridQueue queue{so_many(2)};
  auto trial = queue.next();
  queue.ended(trial_end(*trial, TrialOutcome::failed));
  trial = queue.next();
  CHECK(trial->run == 1);
  CHECK(trial->attempt == 2);
  CHECK_FALSE(queue.is_last_attempt(trial_end({1, 1, 0}, TrialOutcome::failed)));
  CHECK(queue.is_last_attempt(trial_end(*trial, TrialOutcome::failed)));
  queue.ended(trial_end(*trial, TrialOutcome::failed));
  CHECK(queue.failed() == 1);
  CHECK(runs_in_order(queue) == std::vector<RunNumber>{2});
  CHECK(queue.over());
}

TEST_CASE("a run with an invalid configuration is not retried", "[M48]") {
  GridQueue queue{so_many(1)};
  queue.ended(trial_end(*queue.next(), TrialOutcome::refused));
  CHECK_FALSE(queue.next());
  CHECK(queue.failed() == 1);
}

TEST_CASE("a failure stops the grid if configured so, and the next start resumes it", "[M48]") {
  auto options = so_many(3);
  options.stop_on_failure = true;
  GridQueue queue{options};
  const auto refused = trial_end(*queue.next(), TrialOutcome::refused);
  queue.ended(refused);
  CHECK_FALSE(queue.next());
  CHECK(queue.over());
  CHECK(queue.left() == 2);
  GridQueue again{options};
  again.recall(refused);
  CHECK(runs_in_order(again) == std::vector<RunNumber>{2, 3});
}

TEST_CASE("runs that were given up get one more attempt on request", "[M48][M49]") {
  auto options = so_many(3);
  const auto failed = trial_end({1, 2, 0}, TrialOutcome::failed);
  const auto refused = trial_end({2, 1, 0}, TrialOutcome::refused);
  GridQueue queue{options};
  for (const auto& ended : {failed, refused})
    queue.recall(ended);
  queue.recall(trial_end({3, 1, 0}, TrialOutcome::done));
  CHECK(queue.failed() == 2);
  queue.try_failed_again();
  CHECK(queue.failed() == 0);
  CHECK(queue.left() == 2);
  const auto first = queue.next(), second = queue.next();
  REQUIRE(first);
  REQUIRE(second);
  CHECK(*first == RunTrial{1, 3, 0});
  CHECK(*second == RunTrial{2, 2, 0});
  queue.ended(trial_end(*first, TrialOutcome::done));
  queue.ended(trial_end(*second, TrialOutcome::failed));
  CHECK_FALSE(queue.next());
  CHECK(queue.over());
  CHECK(queue.done() == 2);
  CHECK(queue.failed() == 1);
}

TEST_CASE("with halving a run that failed and is done now counts once, also in a later start",
          "[asha][M48]") {
  auto options = so_many(2);
  options.rungs = 2;
  options.factor = 2;
  GridQueue queue{options};
  queue.recall(trial_end({1, 2, 0}, TrialOutcome::failed));
  const auto again = trial_end({1, 3, 0}, TrialOutcome::done, 0.1);
  SECTION("by this start") {
    queue.try_failed_again();
    CHECK(queue.next() == RunTrial{1, 3, 0});
    queue.ended(again);
  }
  SECTION("by an earlier one") { queue.recall(again); }
  const auto next = queue.next(); // one of two completed ones would be promoted
  CHECK(next == RunTrial{2, 1, 0});
}

TEST_CASE("a stopped queue starts nothing and is over when no run is in flight", "[M49]") {
  GridQueue queue{so_many(3)};
  const auto trial = queue.next();
  queue.stop();
  CHECK_FALSE(queue.next());
  CHECK_FALSE(queue.over());
  queue.ended(trial_end(*trial, TrialOutcome::stopped));
  CHECK(queue.over());
  CHECK(queue.left() == 3);
}

TEST_CASE("with halving the best third of a rung is promoted, and a later start remembers that",
          "[asha]") {
  auto options = so_many(3);
  options.rungs = 2;
  std::vector<TrialEnded> journal;
  GridQueue queue{options};
  for (const auto score : {0.3, 0.1, 0.2}) {
    journal.push_back(trial_end(*queue.next(), TrialOutcome::done, score));
    queue.ended(journal.back());
  }
  const auto promoted = queue.next();
  REQUIRE(promoted);
  CHECK(promoted->run == 2);
  CHECK(promoted->rung == 1);
  CHECK(queue.done() == 2);
  journal.push_back(trial_end(*promoted, TrialOutcome::done, 0.05));
  queue.ended(journal.back());
  CHECK_FALSE(queue.next());
  CHECK(queue.over());
  GridQueue again{options};
  for (const auto& ended : journal)
    again.recall(ended);
  CHECK_FALSE(again.next());
  CHECK(again.done() == 3);
}

TEST_CASE("with halving a failed run is not promoted", "[asha][M48]") {
  auto options = so_many(3);
  options.rungs = 2;
  GridQueue queue{options};
  for (int run = 0; run < 3; ++run)
    queue.ended(trial_end(*queue.next(), TrialOutcome::refused));
  CHECK_FALSE(queue.next());
  CHECK(queue.over());
  CHECK(queue.failed() == 3);
}
