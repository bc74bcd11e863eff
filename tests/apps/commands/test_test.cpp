#include "tests/support/program.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace troupe::test;
using Catch::Contains;

namespace {

/// A folder with one short run, and the result that training printed.
struct TestedFolder {
  TestedFolder() {
    const auto ran
      = troupe_program(work.path(), "train -q --json training.epochs=1 " + small_digits);
    INFO(ran.error);
    REQUIRE(ran.code == 0);
    trained = nlohmann::json::parse(ran.out);
  }
  nlohmann::json test(const std::string& arguments) const {
    const auto ran = troupe_program(work.path(), "test --json " + arguments);
    INFO(ran.error);
    REQUIRE(ran.code == 0);
    return nlohmann::json::parse(ran.out);
  }
  std::string refusal_of_test(int code, const std::string& arguments) const {
    const auto ran = troupe_program(work.path(), "test " + arguments);
    CHECK(ran.code == code);
    return ran.error;
  }
  std::string file_of(const nlohmann::json& tested, const std::string& name) const {
    return contents(work.path() / tested["folder"].get<std::string>() / name);
  }
  WorkFolder work;
  nlohmann::json trained;
};

std::size_t count_of_lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

} // namespace

TEST_CASE("a test has the result that training printed, in its own folder", "[M42]") {
  const TestedFolder run;
  const auto tested = run.test("latest --tag once");
  CHECK(tested["test"] == run.trained["test"]);
  CHECK(tested["examples"] == 100);
  const auto folder = tested["folder"].get<std::string>();
  CHECK_THAT(folder, Contains("latest/test_") && Catch::EndsWith("Z_once"));
  CHECK(run.test("latest --tag once")["folder"] != folder);
}

TEST_CASE("a test writes its configuration, its episodes and one aggregated line", "[M42]") {
  const TestedFolder run;
  const auto tested = run.test("latest testing.batch_size=30");
  CHECK(tested["episodes"] == 4);
  CHECK_THAT(run.file_of(tested, "testing_configuration.yaml"), Contains("batch_size: 30"));
  const auto rows = run.file_of(tested, "testing_statistics.csv");
  CHECK_THAT(rows, Catch::StartsWith("episode,loss,acc,batch_size\n0,"));
  CHECK(count_of_lines(rows) == 5);
  const auto aggregated = run.file_of(tested, "testing_set_agg_statistics.csv");
  CHECK_THAT(aggregated,
             Catch::StartsWith("episode,episodes_aggregated,samples_aggregated,loss,loss_min,"
                               "loss_max,loss_std,acc,acc_min,acc_max,acc_std\n4,4,100,"));
  CHECK(count_of_lines(aggregated) == 2);
}

TEST_CASE("a copied run is tested in its new place, also by its file", "[M42]") {
  const TestedFolder run;
  REQUIRE(shell(run.work.path(), "mkdir away && cp -r runs/latest/ away/copy && rm -r runs").code
          == 0);
  const auto tested = run.test("away/copy/state.bin");
  CHECK(tested["test"] == run.trained["test"]);
  CHECK_THAT(tested["folder"].get<std::string>(), Catch::StartsWith("away/copy/test_"));
}

TEST_CASE("the option --section selects the section, with its sampler only", "[M42][M13]") {
  const TestedFolder run;
  const auto tested = run.test("latest --section validation "
                               "'training.sampler={name: subset_random, indices: gone.txt}' "
                               "'validation.sampler={name: subset_sequential, indices: 5..25}'");
  CHECK(tested["examples"] == 20);
  CHECK(tested["validation"].contains("loss"));
}

TEST_CASE("workers that average gradients are tested as training printed", "[M42]") {
  WorkFolder work;
  const auto ran = troupe_program(
    work.path(), "train -q --json training.epochs=1 training.workers=2 "
                 "'+extensions.shared_params_auto_sync={before_update: true, rule: "
                 "gradient_average, staleness: 0}' "
                   + small_digits);
  INFO(ran.error);
  REQUIRE(ran.code == 0);
  const auto tested = troupe_program(work.path(), "test --json latest");
  CHECK(nlohmann::json::parse(tested.out)["test"] == nlohmann::json::parse(ran.out)["test"]);
}

TEST_CASE("the option --visualize shows the model's inputs and predictions", "[M42][M55]") {
  const TestedFolder run;
  const auto plain = run.test("latest");
  CHECK(
    shell(run.work.path(), "ls " + plain["folder"].get<std::string>() + " | grep -c samples").out
    == "0\n");
  const auto shown = run.test("latest --visualize");
  CHECK_THAT(run.file_of(shown, "samples/test.png"), Contains("PNG"));
  const auto elsewhere
    = run.test("latest --visualize --section validation +extensions.samples.folder=seen");
  CHECK_THAT(run.file_of(elsewhere, "seen/validation.png"), Contains("PNG"));
  CHECK_THAT(run.refusal_of_test(78, "latest --visualize +extensions.samples.scale=99"),
             Contains("a scale from 1 to 16"));
}

TEST_CASE("Ctrl-C ends a test soon and deletes its files", "[M42]") {
  const TestedFolder run;
  const auto stopped = shell(run.work.path(), R"("$troupe" test latest problem.test=10000000 >out &
    tester=$!
    until ls -d runs/latest/test_* >/dev/null 2>&1; do sleep 0.05; done
    kill -INT $tester
    wait $tester; echo $?)");
  CHECK(stopped.out == "130\n");
  CHECK(contents(run.work.path() / "out").empty());
  CHECK_THAT(stopped.error, Contains("interrupted: the files of this test were deleted"));
  CHECK(shell(run.work.path(), "ls runs/latest/ | grep test_").out.empty());
}

TEST_CASE("an invalid test is refused with a message", "[M42]") {
  const TestedFolder run;
  CHECK_THAT(run.refusal_of_test(74, "runs/none"), Contains("there is no 'runs/none'"));
  CHECK_THAT(run.refusal_of_test(2, "latest --section tset"), Contains("no section 'tset'"));
  CHECK_THAT(run.refusal_of_test(78, "latest problem.test=0"), Contains("no examples"));
  CHECK_THAT(run.refusal_of_test(65, "latest model.hidden='[17]'"),
             Contains("is not of the model"));
  CHECK_THAT(run.refusal_of_test(78, "latest testing.max_test_episode=3"),
             Contains("did you mean 'max_test_episodes'?"));
  CHECK(shell(run.work.path(), "ls runs/latest/ | grep test_").out.empty());
}

TEST_CASE("max_test_episodes limits the episodes, and too large a number is reduced with a warning",
          "[M43]") {
  const TestedFolder run;
  const auto five = run.test("latest testing.batch_size=10 testing.max_test_episodes=5");
  CHECK(five["episodes"] == 5);
  CHECK(five["examples"] == 50);
  CHECK(run.test("latest testing.batch_size=10 testing.max_test_episodes=-1")["episodes"] == 10);
  const auto many = troupe_program(
    run.work.path(), "test --json latest testing.batch_size=10 testing.max_test_episodes=11");
  CHECK(many.code == 0);
  CHECK(nlohmann::json::parse(many.out)["episodes"] == 10);
  CHECK_THAT(many.error, Contains("testing.max_test_episodes is 11, but the section has 10"));
  CHECK_THAT(run.refusal_of_test(78, "latest testing.max_test_episodes=0"),
             Contains("give at least 1, or -1"));
}

TEST_CASE("several tests have a folder each, with their own values", "[M44]") {
  const TestedFolder run;
  const auto ran = troupe_program(
    run.work.path(),
    "test --json latest 'testing.multi_tests={test: [100, 40], problem.seed: [0, 3]}'");
  INFO(ran.error);
  REQUIRE(ran.code == 0);
  const auto end = ran.out.find('\n');
  const auto first = nlohmann::json::parse(ran.out.substr(0, end));
  const auto second = nlohmann::json::parse(ran.out.substr(end));
  CHECK(first["test"] == run.trained["test"]);
  CHECK(second["examples"] == 40);
  CHECK(first["settings"] == nlohmann::json::parse(R"({"problem.test": 100, "problem.seed": 0})"));
  CHECK(second["settings"] == nlohmann::json::parse(R"({"problem.test": 40, "problem.seed": 3})"));
  CHECK(first["folder"] != second["folder"]);
  const auto configuration = run.file_of(second, "testing_configuration.yaml");
  CHECK_THAT(configuration, Contains("test: 40") && Contains("multi_tests: {}"));
  CHECK(count_of_lines(shell(run.work.path(), "ls -d runs/latest/test_*").out) == 2);
}

TEST_CASE("invalid lists of tests create no folder", "[M44]") {
  const TestedFolder run;
  CHECK_THAT(run.refusal_of_test(78, "latest 'testing.multi_tests={test: [10, 20], seed: [1]}'"),
             Contains("testing.multi_tests.seed") && Contains("as many"));
  CHECK_THAT(run.refusal_of_test(78, "latest 'testing.multi_tests={epochs: [1]}'"),
             Contains("no value is called 'epochs'"));
  CHECK(shell(run.work.path(), "ls runs/latest/ | grep test_").out.empty());
}

TEST_CASE("a metric that is 0/0 is marked as undefined in text and JSON, and is never the best",
          "[train][M42][T26]") {
  WorkFolder work;
  std::ofstream table{work.path() / "constant.csv"};
  for (auto row = 0; row < 60; ++row)
    table << row % 7 << "," << row % 5 << ",5.5\n";
  table.close();
  const auto ran = troupe_program(
    work.path(), "train --json training.epochs=2 training.seed=3 model.hidden='[4]' "
                 "problem.name=csv problem.path=constant.csv problem.task=regression "
                 "'extensions.track_the_best={record: validation_r2, choose: max}'");
  INFO(ran.error);
  REQUIRE(ran.code == 0);
  const auto undefined = nlohmann::json::array({"r2"});
  CHECK(nlohmann::json::parse(ran.out)["undefined"] == undefined);
  CHECK_THAT(ran.error, Contains("validation_r2 0 (undefined)"));
  const auto log = contents(work.path() / "runs/latest/log.jsonl");
  CHECK_THAT(log, Contains(R"("validation_undefined":"r2")"));
  CHECK_THAT(log, Contains(R"("test_undefined":"r2")"));
  CHECK_THAT(log, !Contains("best_so_far"));
  const auto tested = troupe_program(work.path(), "test --json runs/latest");
  CHECK(nlohmann::json::parse(tested.out)["undefined"] == undefined);
  CHECK_THAT(troupe_program(work.path(), "test runs/latest").out, Contains("0.0000 (undefined)"));
}
