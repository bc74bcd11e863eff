#include "apps/grid/table.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace troupe;

namespace {

RunResults some_run(RunNumber run, std::uint32_t repetition, double loss) {
  RunResults results;
  results.run = run;
  results.trial = 1;
  results.repetition = repetition;
  results.task = 1;
  results.problem = "digits";
  results.model = "mlp";
  results.values = {"0.1"};
  results.outcome = "done";
  results.reason = "3 epochs, done";
  results.seed = "5";
  results.validation = {{"validation_loss", loss}};
  return results;
}

} // namespace

TEST_CASE("a table has a row per test, with blanks after the first, and means over repetitions",
          "[M51]") {
  auto first = some_run(1, 1, 1), second = some_run(2, 2, 3);
  first.tests
    = {{"t1", "best.bin", "noon", {{"loss", 0.5}}}, {"t2", "best.bin", "one", {{"loss", 0.5}}}};
  const auto csv = csv_of(results_table({first, second}, {"optimizer.learning_rate"}));
  CHECK(csv
        == "row,run,trial,repetition,task,problem,model,model_save_timestamp,"
           "training_terminal_status,training_terminal_reason,training_terminal_status_timestamp,"
           "grid.optimizer.learning_rate,training_configuration_filepath,training_start_timestamp,"
           "training_seed,validation_loss,test_configuration_filepath,test_model_filepath,"
           "test_start_timestamp,test_loss\r\n"
           "run,1,1,1,1,digits,mlp,,done,\"3 epochs, done\",,0.1,,,5,1,t1,best.bin,noon,0.5\r\n"
           "run,1,,,,,,,,,,,,,,,t2,best.bin,one,0.5\r\n"
           "run,2,1,2,1,digits,mlp,,done,\"3 epochs, done\",,0.1,,,5,3,,,,\r\n"
           "mean,,1,,1,digits,mlp,,,,,0.1,,,,2,,,,0.5\r\n"
           "deviation,,1,,1,digits,mlp,,,,,0.1,,,,1.4142135623730951,,,,\r\n");
}

TEST_CASE("means and deviations are over repetitions, however often each was tested", "[M51]") {
  auto first = some_run(1, 1, 1), second = some_run(2, 2, 1);
  first.tests = {{"t1", "best.bin", "noon", {{"loss", 1}}},
                 {"t2", "best.bin", "one", {{"loss", 2}}},
                 {"t3", "best.bin", "two", {{"loss", 3}}}};
  second.tests = {{"t4", "best.bin", "three", {{"loss", 4}}}};
  const auto table = results_table({first, second}, {"a"});
  REQUIRE(table.columns.back() == "test_loss");
  REQUIRE(table.rows.size() == 6);
  CHECK(table.rows[4].back() == "3");                  // of 2 and 4
  CHECK(table.rows[5].back() == "1.4142135623730951"); // not of 1, 2, 3 and 4
}

TEST_CASE("failed runs have a row, and do not count in means", "[M51]") {
  auto failed = some_run(2, 2, 100);
  failed.outcome = "failed";
  const auto table = results_table({some_run(1, 1, 1), failed}, {"a"});
  REQUIRE(table.rows.size() == 4);
  const auto at = static_cast<std::size_t>(
    std::find(table.columns.begin(), table.columns.end(), "validation_loss")
    - table.columns.begin());
  CHECK(table.rows[2][at] == "1");
  CHECK(table.rows[3][at].empty()); // one run has no deviation
}
