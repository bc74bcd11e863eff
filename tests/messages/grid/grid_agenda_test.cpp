#include "messages/grid/grid_agenda.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

namespace {

TrialEnded trial_end(const RunTrial& trial, TrialOutcome outcome, double score = 0) {
  auto ended = end_of(trial, outcome, "");
  ended.score = score;
  return ended;
}

/// The runs that an agenda starts when each ends well before the next.
std::vector<RunNumber> runs_in_order(GridAgenda& agenda) {
  std::vector<RunNumber> runs;
  while (const auto trial = agenda.next()) {
    runs.push_back(trial->run);
    agenda.ended(trial_end(*trial, TrialOutcome::done));
  }
  return runs;
}

GridAgendaOptions so_many(RunNumber runs) {
  GridAgendaOptions options;
  options.runs = runs;
  return options;
}

} // namespace

TEST_CASE("runs start in their order, each once", "[M46]") {
  GridAgenda agenda{so_many(6)};
  CHECK(runs_in_order(agenda) == std::vector<RunNumber>{1, 2, 3, 4, 5, 6});
  CHECK(agenda.over());
  CHECK(agenda.done() == 6);
  CHECK(agenda.left() == 0);
}

TEST_CASE("a grid goes on where it was, and runs nothing twice that has ended", "[M49]") {
  GridAgenda agenda{so_many(5)};
  agenda.recall(trial_end({2, 1, 0}, TrialOutcome::done));
  agenda.recall(trial_end({4, 1, 0}, TrialOutcome::stopped));
  CHECK(agenda.done() == 1);
  CHECK(agenda.left() == 4);
  CHECK(runs_in_order(agenda) == std::vector<RunNumber>{4, 1, 3, 5});
}

TEST_CASE("a run that was stopped, went on and ended is not run again", "[M49]") {
  GridAgenda agenda{so_many(2)};
  agenda.recall(trial_end({1, 1, 0}, TrialOutcome::stopped));
  agenda.recall(trial_end({1, 1, 0}, TrialOutcome::done));
  CHECK(runs_in_order(agenda) == std::vector<RunNumber>{2});
}

TEST_CASE("ends of a grid that was larger are passed over", "[M49]") {
  GridAgenda agenda{so_many(2)};
  agenda.recall(trial_end({3, 1, 0}, TrialOutcome::stopped));
  agenda.recall(trial_end({1, 1, 1}, TrialOutcome::stopped)); // it had a rung more
  CHECK(runs_in_order(agenda) == std::vector<RunNumber>{1, 2});
}

TEST_CASE("to be stopped costs a run none of its attempts", "[M48][M49]") {
  GridAgenda agenda{so_many(1)};
  agenda.ended(trial_end(*agenda.next(), TrialOutcome::stopped));
  const auto again = agenda.next();
  REQUIRE(again);
  CHECK(again->attempt == 1);
}

TEST_CASE("a run that fails is tried again, and the others go on when it has used up its attempts",
          "[M48]") {
  GridAgenda agenda{so_many(2)};
  auto trial = agenda.next();
  agenda.ended(trial_end(*trial, TrialOutcome::failed));
  trial = agenda.next();
  CHECK(trial->run == 1);
  CHECK(trial->attempt == 2);
  CHECK_FALSE(agenda.gives_up_after(trial_end({1, 1, 0}, TrialOutcome::failed)));
  CHECK(agenda.gives_up_after(trial_end(*trial, TrialOutcome::failed)));
  agenda.ended(trial_end(*trial, TrialOutcome::failed));
  CHECK(agenda.failed() == 1);
  CHECK(runs_in_order(agenda) == std::vector<RunNumber>{2});
  CHECK(agenda.over());
}

TEST_CASE("a run whose configuration cannot be is not tried again", "[M48]") {
  GridAgenda agenda{so_many(1)};
  agenda.ended(trial_end(*agenda.next(), TrialOutcome::refused));
  CHECK_FALSE(agenda.next());
  CHECK(agenda.failed() == 1);
}

TEST_CASE("a failure stops the grid where it is told so, and a next start goes on", "[M48]") {
  auto options = so_many(3);
  options.stop_on_failure = true;
  GridAgenda agenda{options};
  const auto refused = trial_end(*agenda.next(), TrialOutcome::refused);
  agenda.ended(refused);
  CHECK_FALSE(agenda.next());
  CHECK(agenda.over());
  CHECK(agenda.left() == 2);
  GridAgenda again{options};
  again.recall(refused);
  CHECK(runs_in_order(again) == std::vector<RunNumber>{2, 3});
}

TEST_CASE("runs that were given up get one attempt more where that is asked for", "[M48][M49]") {
  auto options = so_many(3);
  const auto failed = trial_end({1, 2, 0}, TrialOutcome::failed);
  const auto refused = trial_end({2, 1, 0}, TrialOutcome::refused);
  GridAgenda agenda{options};
  for (const auto& ended : {failed, refused})
    agenda.recall(ended);
  agenda.recall(trial_end({3, 1, 0}, TrialOutcome::done));
  CHECK(agenda.failed() == 2);
  agenda.try_failed_again();
  CHECK(agenda.failed() == 0);
  CHECK(agenda.left() == 2);
  const auto first = agenda.next(), second = agenda.next();
  REQUIRE(first);
  REQUIRE(second);
  CHECK(*first == RunTrial{1, 3, 0});
  CHECK(*second == RunTrial{2, 2, 0});
  agenda.ended(trial_end(*first, TrialOutcome::done));
  agenda.ended(trial_end(*second, TrialOutcome::failed));
  CHECK_FALSE(agenda.next());
  CHECK(agenda.over());
  CHECK(agenda.done() == 2);
  CHECK(agenda.failed() == 1);
}

TEST_CASE("with halving a run that failed and is done now counts once, in a later start too",
          "[asha][M48]") {
  auto options = so_many(2);
  options.rungs = 2;
  options.factor = 2;
  GridAgenda agenda{options};
  agenda.recall(trial_end({1, 2, 0}, TrialOutcome::failed));
  const auto again = trial_end({1, 3, 0}, TrialOutcome::done, 0.1);
  SECTION("by this start") {
    agenda.try_failed_again();
    CHECK(agenda.next() == RunTrial{1, 3, 0});
    agenda.ended(again);
  }
  SECTION("by an earlier one") { agenda.recall(again); }
  const auto next = agenda.next(); // one of two that have ended would be promoted
  CHECK(next == RunTrial{2, 1, 0});
}

TEST_CASE("a stopped agenda starts nothing and is over when what is under way has ended", "[M49]") {
  GridAgenda agenda{so_many(3)};
  const auto trial = agenda.next();
  agenda.stop();
  CHECK_FALSE(agenda.next());
  CHECK_FALSE(agenda.over());
  agenda.ended(trial_end(*trial, TrialOutcome::stopped));
  CHECK(agenda.over());
  CHECK(agenda.left() == 3);
}

TEST_CASE(
  "with halving the best third of a rung goes on to the next, which a later start remembers",
  "[asha]") {
  auto options = so_many(3);
  options.rungs = 2;
  std::vector<TrialEnded> journal;
  GridAgenda agenda{options};
  for (const auto score : {0.3, 0.1, 0.2}) {
    journal.push_back(trial_end(*agenda.next(), TrialOutcome::done, score));
    agenda.ended(journal.back());
  }
  const auto promoted = agenda.next();
  REQUIRE(promoted);
  CHECK(promoted->run == 2);
  CHECK(promoted->rung == 1);
  CHECK(agenda.done() == 2);
  journal.push_back(trial_end(*promoted, TrialOutcome::done, 0.05));
  agenda.ended(journal.back());
  CHECK_FALSE(agenda.next());
  CHECK(agenda.over());
  GridAgenda again{options};
  for (const auto& ended : journal)
    again.recall(ended);
  CHECK_FALSE(again.next());
  CHECK(again.done() == 3);
}

TEST_CASE("with halving a run that has failed goes up no rung", "[asha][M48]") {
  auto options = so_many(3);
  options.rungs = 2;
  GridAgenda agenda{options};
  for (int run = 0; run < 3; ++run)
    agenda.ended(trial_end(*agenda.next(), TrialOutcome::refused));
  CHECK_FALSE(agenda.next());
  CHECK(agenda.over());
  CHECK(agenda.failed() == 3);
}
