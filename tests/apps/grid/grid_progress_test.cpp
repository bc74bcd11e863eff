// The output of a running grid.
#include "apps/grid/progress.hpp"
#include "tests/support/run_yaml.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace troupe;
using Catch::Contains;

namespace {

GridPlan two_trials() {
  return {grid_options(test::read("tasks: [{overwrite: {model: {name: mlp}}}]\n"
                                  "grid: {training.batch_size: [16, 32]}\n"),
                       "grid.yaml"),
          7};
}

TrialEnded done(RunNumber run, std::uint32_t rung, double score) {
  TrialEnded ended;
  ended.run = run;
  ended.rung = rung;
  ended.score = score;
  return ended;
}

} // namespace

TEST_CASE("the best score of a grid stays when its run gets worse", "[grid][M50]") {
  const auto plan = two_trials();
  GridResults results{Choose::min};
  CHECK(results.best().run == 0);
  results.add(done(1, 0, 0.1));
  results.add(done(2, 0, 0.2));
  results.add(done(1, 1, 0.9));
  CHECK(results.best().run == 1);
  CHECK(results.best().score == 0.1);
  CHECK(results.last().at(1).score == 0.9);
  auto failed = done(1, 2, std::nan(""));
  failed.outcome = TrialOutcome::failed;
  results.add(failed);
  const auto line = progress_line(plan, GridQueue{{.runs = plan.runs()}}, results);
  CHECK_THAT(line, Contains("best validation_loss 0.1 (")
                     && Contains(plan.folder_of(1).filename().string()));
}

TEST_CASE("failures of earlier starts are listed by reason, with the way to retry them",
          "[grid][M48]") {
  const auto plan = two_trials();
  const GridQueue queue{{.runs = plan.runs()}};
  GridResults results{Choose::min};
  results.add(done(1, 0, 0.1));
  CHECK(given_up_lines(plan, queue, results).empty());
  for (const RunNumber run : {1, 2})
    results.add(end_of({run, 2, 0}, TrialOutcome::failed, "the disk is full"));
  const auto lines = given_up_lines(plan, queue, results);
  CHECK_THAT(lines, Contains("run 1 (trial-0001-rep-1) failed, attempt 2: the disk is full\n")
                      && Contains("and 1 more") && Contains("--failed"));
  CHECK_THAT(lines, !Contains("run 2"));
}

TEST_CASE("a score that is not a number is never the best", "[grid]") {
  GridResults results{Choose::max};
  results.add(done(1, 0, std::nan("")));
  CHECK(results.best().run == 0);
  results.add(done(2, 0, -3));
  CHECK(results.best().run == 2);
  results.add(done(1, 0, -4));
  CHECK(results.best().run == 2);
}

TEST_CASE("a run without the record that runs are compared by is reported, with the nearest name",
          "[grid][M50]") {
  const GridPlan plan{
    grid_options(
      test::read("tasks: [{overwrite: {model: {name: mlp}}}]\nby: validation_los\nchoose: min\n"),
      "grid.yaml"),
    7};
  const auto line = missing_score_line(plan, 1, {"training_loss", "validation_loss"});
  CHECK_THAT(line, Contains("run 1 (" + plan.folder_of(1).filename().string() + ")")
                     && Contains("has recorded no 'validation_los'")
                     && Catch::EndsWith("; did you mean 'validation_loss'?"));
  CHECK(missing_score_line(plan, 1, {"validation_los"}).empty());
  GridResults results{Choose::min};
  results.add(done(1, 0, std::nan("")));
  CHECK_THAT(summary_table(plan, results),
             Contains("no validation_los  1 done") && !Contains("nan"));
}
