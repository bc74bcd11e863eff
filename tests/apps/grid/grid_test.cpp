#include "apps/grid/train.hpp"
#include "messages/checkpoint/saved_run.hpp"
#include "tests/support/tiny_grid.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace troupe::test;

namespace {

/// Trains, tests and tabulates the grid that `yaml` describes.
auto run_grid(const WorkFolder& work, const std::string& name, const std::string& yaml) {
  std::ofstream(work.path() / (name + ".yaml")) << yaml;
  auto ran = troupe_program(work.path(), "grid run " + name + ".yaml");
  INFO(ran.error);
  REQUIRE(ran.code == 0);
  return ran;
}

} // namespace

TEST_CASE("one command trains, tests and tabulates a grid", "[M54][M50]") {
  WorkFolder work;
  write_grid(work, "repetitions: 2\n");
  const auto ran = troupe_program(work.path(), "grid run tiny.yaml --repeat 2");
  INFO(ran.error);
  REQUIRE(ran.code == 0);
  CHECK(ran.error.find("4 runs done") != std::string::npos);
  CHECK(ran.error.find("8 tests done") != std::string::npos);
  const auto csv = contents(work.path() / "grids/tiny/results.csv");
  CHECK(lines_with(csv, "run,") == 9); // including the header
  CHECK(lines_with(csv, "mean,") == 2);
}

TEST_CASE("a problem's statistics are in a grid's table and report", "[M32][M51]") {
  WorkFolder work;
  run_grid(
    work, "tags",
    "tasks: [{overwrite: {problem: {name: tagging, train: 64, validation: 32, test: 32}, model: "
    "{name: lstm_tagger, width: 4, hidden: 4}, training: {epochs: 2}, extensions: {statistics: "
    "{}}}}]\nseed: 3\n");
  const auto csv = contents(work.path() / "grids/tags/results.csv");
  for (const auto* column :
       {"training_seq_length,", "training_seq_length_min,", "training_seq_length_std,",
        "training_max_seq_length_max,", "test_seq_length_min,"})
    CHECK_THAT(csv.substr(0, csv.find('\n')), Catch::Contains(column));
  const auto report = contents(work.path() / "grids/tags/report.html");
  for (const auto* curve : {"\"seq_length\":[[", "\"max_seq_length\":[["})
    CHECK_THAT(report, Catch::Contains(curve));
}

TEST_CASE("a grid's tests are those of `troupe test`, on any node", "[M42][M50]") {
  WorkFolder work;
  write_grid(work, "grid: {testing.batch_size: [30]}\n");
  REQUIRE(troupe_program(work.path(), "grid train tiny.yaml").code == 0);
  const auto by_hand = troupe_program(work.path(), "test --json grids/tiny/trial-0001-rep-1");
  INFO(by_hand.error);
  REQUIRE(by_hand.code == 0);
  CHECK(troupe_program(work.path(), "grid test tiny.yaml").error.find("1 tests done")
        != std::string::npos); // of the other run
  CHECK(troupe_program(work.path(), "grid test tiny.yaml --repeat 2").error.find("2 tests done")
        != std::string::npos);
  const auto files = shell(work.path(), "cd grids/tiny && ls */test_*/*").out;
  for (const auto* file :
       {"testing_configuration.yaml", "testing_statistics.csv", "testing_set_agg_statistics.csv"})
    CHECK(lines_with(files, file) == 4);
  REQUIRE(troupe_program(work.path(), "grid analyze tiny.yaml").code == 0);
  const auto csv = contents(work.path() / "grids/tiny/results.csv");
  for (const auto* column : {",test_acc,", ",test_loss_std,", ",test_episodes_aggregated,"})
    CHECK_THAT(csv.substr(0, csv.find('\r')) + ",", Catch::Contains(column));
  CHECK(lines_with(csv, "testing_configuration.yaml,") == 4);
}

TEST_CASE("a run with a trainer is tested by its best model, and by each of its tests",
          "[M44][M50][trainers]") {
  WorkFolder work;
  const auto ran = run_grid(
    work, "kept",
    "tasks: [{overwrite: {trainer: offline, model: {hidden: []}, problem: {train: 200, "
    "validation: 50, test: 50}, training: {terminal_conditions: {epoch_limit: 2}}, testing: "
    "{multi_tests: {problem.test: [20, 50]}}}}]\nseed: 3\n");
  CHECK(ran.error.find("2 tests done") != std::string::npos);
  CHECK(lines_with(contents(work.path() / "grids/kept/results.csv"), "models/model_best.bin") == 2);
}

TEST_CASE("a grid whose problem has no test section is complete, with a row for each run",
          "[M51][M54]") {
  WorkFolder work;
  write_grid(work, "grid: {problem.test: [0]}\n");
  const auto ran = troupe_program(work.path(), "grid run tiny.yaml");
  INFO(ran.error);
  CHECK(ran.code == 0);
  CHECK_THAT(ran.error,
             Catch::Contains("2 tests are skipped") && Catch::Contains("0 tests done, 0 failed"));
  CHECK(lines_with(contents(work.path() / "grids/tiny/results.csv"), "run,") == 3);
}

TEST_CASE("Ctrl-C ends a grid's tests soon, and the same command continues them", "[M50]") {
  WorkFolder work;
  write_grid(work, "grid: {testing.batch_size: [1]}\n");
  REQUIRE(
    troupe_program(work.path(), "grid train tiny.yaml grid_overwrite.problem.test=200000").code
    == 0);
  const auto stopped = shell(work.path(), R"(
    "$troupe" grid test tiny.yaml grid_overwrite.problem.test=200000 &
    tester=$!
    until ls -d grids/tiny/*/test_* >/dev/null 2>&1; do sleep 0.05; done
    kill -INT $tester
    wait $tester; echo $?)");
  CHECK(stopped.out == "75\n");
  CHECK_THAT(stopped.error, Catch::Contains("0 failed, 2 left"));
  CHECK(shell(work.path(), "ls -d grids/tiny/*/test_*").out.empty());
}

TEST_CASE("a finished grid does nothing when it is started again, unless it has more repetitions",
          "[M49]") {
  WorkFolder work;
  write_grid(work, "");
  REQUIRE(troupe_program(work.path(), "grid train tiny.yaml").code == 0);
  const auto journal = contents(work.path() / "grids/tiny/journal");
  REQUIRE(troupe_program(work.path(), "grid train tiny.yaml").code == 0);
  CHECK(contents(work.path() / "grids/tiny/journal") == journal);
  REQUIRE(troupe_program(work.path(), "grid train tiny.yaml repetitions=2").code == 0);
  CHECK(lines_with(contents(work.path() / "grids/tiny/journal"), "\"run\"") == 4);
}

TEST_CASE("a run killed at its very end is not trained again and has its model", "[M49]") {
  WorkFolder work;
  write_grid(work, "");
  const std::string train
    = "grid train tiny.yaml +grid_overwrite.extensions.checkpoint.after_epoch=true";
  REQUIRE(troupe_program(work.path(), train).code == 0);
  const auto grid = work.path() / "grids/tiny";
  const auto run = grid / "trial-0001-rep-1";
  const auto journal = contents(grid / "journal");
  const auto log_rows = lines_with(contents(run / "log.jsonl"), "training_loss");
  std::ofstream(grid / "journal") << journal.substr(0, journal.find('\n') + 1);

  SECTION("before its end was in the journal") {}
  SECTION("before its state was written") { std::filesystem::remove(run / "state.bin"); }
  SECTION("before its results were written") {
    std::filesystem::remove(run / "state.bin");
    std::filesystem::remove(run / "result.json");
  }
  SECTION("when it was interrupted there") {
    auto result = contents(run / "result.json");
    const auto finished = result.find("finished");
    std::ofstream(run / "result.json") << result.replace(finished, 8, "interrupted");
  }
  const auto ran = troupe_program(work.path(), train);
  INFO(ran.error);
  REQUIRE(ran.code == 0);
  CHECK(std::filesystem::exists(run / "state.bin"));
  CHECK(contents(run / "result.json").find("\"outcome\":\"finished\"") != std::string::npos);
  CHECK(contents(run / "result.json").find("\"epochs\":2,") != std::string::npos);
  CHECK(lines_with(contents(run / "log.jsonl"), "training_loss") == log_rows);
  CHECK(lines_with(contents(grid / "journal"), "\"run\"") == 2);
}

TEST_CASE("a run whose state was lost in a power failure is run again", "[M49]") {
  WorkFolder work;
  write_grid(work, "");
  REQUIRE(troupe_program(work.path(), "grid train tiny.yaml").code == 0);
  const auto state = work.path() / "grids/tiny/trial-0002-rep-1/state.bin";
  const auto whole = load_run(state);
  std::ofstream{state}; // empty, like a file that never reached the disk
  const auto ran = troupe_program(work.path(), "grid train tiny.yaml");
  INFO(ran.error);
  CHECK(ran.code == 0);
  CHECK(ran.error.find("2 runs, 1 of them done") != std::string::npos);
  CHECK(load_run(state).trainers.front().parameters == whole.trainers.front().parameters);
}

TEST_CASE("a folder with runs of another grid is refused", "[M49]") {
  WorkFolder work;
  write_grid(work, "");
  REQUIRE(troupe_program(work.path(), "grid train tiny.yaml").code == 0);
  const auto ran
    = troupe_program(work.path(), "grid train tiny.yaml grid_overwrite.training.epochs=3");
  CHECK(ran.code == 78);
  CHECK(ran.error.find("other trials") != std::string::npos);
}

TEST_CASE("runs in their own processes have the same results and reasons", "[M47][M27]") {
  WorkFolder work;
  write_grid(work, "");
  const auto here = troupe_program(work.path(), "grid train tiny.yaml");
  const auto apart = troupe_program(work.path(), "grid train tiny.yaml isolate=true folder=apart");
  INFO(apart.error);
  CHECK(apart.code == 0);
  CHECK(apart.out == here.out);
  for (const auto* journal : {"grids/tiny/journal", "apart/journal"})
    CHECK(lines_with(contents(work.path() / journal), "\"reason\":\"2 epochs are done\"") == 2);
}

TEST_CASE("a grid that trains one run at a time takes one processor, and says so", "[M47]") {
  CHECK(troupe::processors_for(1).size() == 1);
  CHECK(troupe::processors_for(0) == troupe::processors_for(1'000'000));
  WorkFolder work;
  write_grid(work, "");
  const auto ran = troupe_program(work.path(), "grid train tiny.yaml at_once=1");
  CHECK(ran.code == 0);
  CHECK_THAT(ran.error, Catch::Contains("0 of them done; 1 at the same time"));
}

TEST_CASE("halving limits runs with a trainer by its own unit, epochs or episodes",
          "[asha][trainers]") {
  const auto trainer = GENERATE(std::string{"offline"}, std::string{"online"});
  const auto rungs = trainer == "offline" ? "[1, 2]" : "[3, 8]";
  WorkFolder work;
  std::ofstream(work.path() / "tiny.yaml")
    << "tasks: [{overwrite: {trainer: " << trainer
    << ", model: {hidden: []}, validation: {partial_interval: 2}, problem: {train: 200, "
       "validation: 50, test: 50}, training: {batch_size: 50}}}]\nseed: 3\nsearch: "
       "latin_hypercube\ntrials: 3\ngrid: {optimizer.learning_rate: {from: 0.0001, to: 0.1, scale: "
       "log}, training.terminal_conditions.loss_stop: [1e-9, 1e-8]}\nhalving: {rungs: "
    << rungs << ", factor: 3}\n";
  const auto isolate = GENERATE("false", "true");
  const auto ran
    = troupe_program(work.path(), std::string{"grid run tiny.yaml isolate="} + isolate);
  INFO(trainer << " isolate " << isolate << ran.error);
  REQUIRE(ran.code == 0);
  const auto journal = contents(work.path() / "grids/tiny/journal");
  CHECK(lines_with(journal, "\"rung\":0") == 3);
  CHECK(lines_with(journal, "\"rung\":1") == 1);
  CHECK(lines_with(shell(work.path(), "cat grids/tiny/*/result.json").out, "\"batches\":8,") == 1);
  CHECK(lines_with(shell(work.path(), "grep -l resumed_from grids/tiny/*/log.jsonl").out, "log")
        == 1);
}

TEST_CASE("a converged trial is promoted unchanged", "[asha][trainers]") {
  WorkFolder work;
  std::ofstream(work.path() / "tiny.yaml")
    << "tasks: [{overwrite: {trainer: offline, model: {hidden: []}, problem: {train: 200, "
       "validation: 50, test: 50}, training: {terminal_conditions: {loss_stop: 1000000}}}}]\n"
       "seed: 3\nsearch: random\ntrials: 3\ngrid: {optimizer.learning_rate: [0.1, 0.01]}\n"
       "halving: {rungs: [2, 3], factor: 3}\n";
  const auto ran = troupe_program(work.path(), "grid train tiny.yaml");
  INFO(ran.error);
  REQUIRE(ran.code == 0);
  const auto journal = contents(work.path() / "grids/tiny/journal");
  CHECK(lines_with(journal, "\"rung\":1") == 1);
  CHECK(lines_with(journal, "Converged") == 4);
  const auto ends = shell(work.path(), "cat grids/tiny/*/result.json").out;
  CHECK(lines_with(ends, "\"epochs\":1,") == 3);
}

TEST_CASE("halving continues the trial that its record's name says is better, rising or falling",
          "[asha]") {
  const std::string by = GENERATE("validation_accuracy", "validation_loss");
  WorkFolder work;
  std::ofstream(work.path() / "tiny.yaml")
    << "tasks: [{overwrite: {problem: {train: 200, validation: 100, test: 16}, training: {epochs: "
       "8}}}]\nseed: 1\ngrid: {optimizer.learning_rate: [0.000000001, 0.01]}\nhalving: {rungs: [1, "
       "8], factor: 2}\nby: "
    << by << "\n";
  const auto ran = troupe_program(work.path(), "grid train -q tiny.yaml");
  INFO(by << ran.error);
  REQUIRE(ran.code == 0);
  CHECK(shell(work.path(), "grep -l resumed_from grids/tiny/*/log.jsonl").out
        == "grids/tiny/trial-0002-rep-1/log.jsonl\n");
}

TEST_CASE("with halving the best third continues training", "[asha]") {
  WorkFolder work;
  write_grid(work, "search: random\ntrials: 3\n"
                   "grid: {optimizer.learning_rate: {from: 0.0001, to: 0.1, scale: log}}\n"
                   "halving: {rungs: [1, 3], factor: 3}\n");
  const auto ran = troupe_program(work.path(), "grid train tiny.yaml");
  INFO(ran.error);
  REQUIRE(ran.code == 0);
  const auto journal = contents(work.path() / "grids/tiny/journal");
  CHECK(lines_with(journal, "\"rung\":0") == 6);
  CHECK(lines_with(journal, "\"rung\":1") >= 2);
  const auto resumed = shell(work.path(), "grep -l resumed_from grids/tiny/*/log.jsonl");
  CHECK(lines_with(resumed.out, "log.jsonl") == lines_with(journal, "\"rung\":1"));
}
