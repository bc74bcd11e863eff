#include "tests/support/program.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace troupe::test;

namespace {

/// The table of a grid of one small run.
std::string table_of_one(const WorkFolder& work, const std::string& settings) {
  std::ofstream(work.path() / "one.yaml")
    << "tasks: [{overwrite: {model: {hidden: []}, problem: {train: 200, validation: 50, test: 50}, "
    << settings << "}}]\nseed: 3\n";
  const auto ran = troupe_program(work.path(), "grid run one.yaml");
  INFO(ran.error);
  REQUIRE(ran.code == 0);
  return contents(work.path() / "grids/one/results.csv");
}

} // namespace

TEST_CASE("a table has the time at which a model was saved, as in the model's file", "[M51][M39]") {
  const WorkFolder work;
  const auto table
    = table_of_one(work, "trainer: offline, training: {terminal_conditions: {epoch_limit: 2}}");
  const auto card
    = troupe_program(work.path(), "show grids/one/trial-0001-rep-1/models/model_best.bin").out;
  const std::string field = "model_timestamp  ";
  const auto saved = card.find(field) + field.size();
  CHECK_THAT(table,
             Catch::Contains("," + card.substr(saved, card.find('\n', saved) - saved) + ",done,"));
}

TEST_CASE("a finished grid can be compared by another record", "[grid][M51]") {
  const WorkFolder work;
  table_of_one(work, "training: {epochs: 2}");
  const auto judged = [&work](const std::string& act, const std::string& by) {
    const auto ran = troupe_program(work.path(), "grid " + act + " -q one.yaml by=" + by);
    REQUIRE(ran.code == 0);
    return ran.out;
  };
  const auto last = [&work](const std::string& record) {
    const auto value
      = shell(work.path(), "\"$troupe\" log --csv --record " + record
                             + " grids/one/trial-0001-rep-1 | tail -n 1 | sed 's/.*,//'")
          .out;
    const auto number = value.substr(0, value.find('\n'));
    REQUIRE(std::isfinite(std::stod(number)));
    return number.substr(0, 5); // as printed, with one digit to spare for rounding
  };
  const auto accuracy = last("validation_accuracy"), loss = last("validation_loss");
  REQUIRE(accuracy != loss);
  CHECK_THAT(judged("train", "validation_accuracy"),
             Catch::Contains("validation_accuracy " + accuracy));
  CHECK_THAT(troupe_program(work.path(), "grid analyze -q one.yaml by=validation_acuracy").error,
             Catch::Contains("did you mean 'validation_accuracy'?"));
  judged("analyze", "validation_accuracy");
  CHECK_THAT(contents(work.path() / "grids/one/report.html"),
             Catch::Contains("\"by\":\"validation_accuracy\"")
               && Catch::Contains("\"score\":" + accuracy));
  CHECK_THAT(judged("train", "validation_loss"), Catch::Contains("validation_loss " + loss));
}

TEST_CASE("a table has the time at which early stopping saved the best state, and no patience",
          "[M51]") {
  const WorkFolder work;
  const auto table
    = table_of_one(work, "training: {epochs: 4}, extensions: {early_stopping: {record: "
                         "validation_loss, choose: max, epochs: 9}}");
  const auto row = shell(work.path(), "grep '/best.bin' grids/one/*/log.jsonl | tail -n 1").out;
  CHECK_THAT(table, Catch::Contains("," + json_text(row, "time") + ",done,"));
  CHECK_THAT(table, Catch::Contains(",validation_loss,") && !Catch::Contains("best_so_far")
                      && !Catch::Contains("validation_version"));
}

TEST_CASE("a grid whose runs lack the record to compare by is refused, and where they "
          "are done says so once",
          "[M50][M51]") {
  const WorkFolder work;
  std::ofstream(work.path() / "typo.yaml")
    << "tasks: [{overwrite: {model: {hidden: []}}}, {overwrite: {model: {hidden: [8]}}}]\n"
       "grid_overwrite: {problem: {train: 200, validation: 50, test: 50}, training: {epochs: 1}}\n"
       "seed: 3\nby: validation_los\nchoose: min\n";
  const auto times_suggested = [&](const std::string& command, const std::string& nearest) {
    const auto ran = troupe_program(work.path(), "grid " + command);
    CHECK(ran.code == 0);
    const auto words = "; did you mean '" + nearest + "'?";
    auto times = 0;
    for (auto at = ran.error.find(words); at != std::string::npos;
         at = ran.error.find(words, at + 1))
      ++times;
    return times;
  };
  const auto refused = troupe_program(work.path(), "grid train typo.yaml");
  CHECK(refused.code == 78);
  CHECK_THAT(refused.error, Catch::Contains("the grid's `by` waits for the record 'validation_los'")
                              && Catch::Contains("did you mean 'validation_loss'?"));
  CHECK_FALSE(std::filesystem::exists(work.path() / "grids"));
  CHECK(times_suggested("train typo.yaml by=validation_loss", "validation_loss") == 0);
  CHECK(times_suggested("analyze typo.yaml by=validation_acuracy", "validation_accuracy") == 1);
  CHECK(times_suggested("train typo.yaml by=validation_loss", "validation_loss") == 0);
}
