#include "apps/config/yaml.hpp"
#include "apps/testing/test_files.hpp"
#include "tests/support/program.hpp"
#include "tests/support/run_yaml.hpp"

#include <catch2/catch.hpp>

#include <chrono>

using namespace troupe;
using namespace troupe::test;

namespace {

const auto settings_of_test = read("problem: {name: digits}");

/// Writes a test's folder into the run, with one episode of this loss.
std::filesystem::path leave_test(const WorkFolder& run, const std::string& name,
                                 const TestSubject& subject, double loss) {
  const auto folder = run.path() / name;
  std::filesystem::create_directory(folder);
  Metrics metrics;
  metrics.add_mean("loss", loss, 1);
  TestStatistics statistics;
  statistics.add(metrics, 1);
  TestResult result;
  result.metrics = metrics.values();
  write_test_configuration(folder, subject, settings_of_test);
  write_test_statistics(folder, statistics, result);
  return folder;
}

} // namespace

TEST_CASE("the subject of a test is read as it was written", "[M42]") {
  const TestSubject subject{Section::validation, "0123456789abcdef", "models/a, model b.bin"};
  CHECK(to_string(subject)
        == "# section validation, parameters 0123456789abcdef, model models/a, model b.bin");
  TestSubject read;
  REQUIRE(from_text(to_string(subject), read));
  CHECK(read == subject);
  for (const auto* other : {"", "# section test", "# section tset, parameters 1, model a",
                            "section test, parameters 1, model a"})
    CHECK_FALSE(from_text(other, read));
}

TEST_CASE("the tests of a run are those of its test section, in the order of time", "[M42][M51]") {
  const WorkFolder run;
  leave_test(run, "test_2026-01-31T12-00-01Z_b", {Section::test, "1", "state.bin"}, 2);
  leave_test(run, "test_2026-01-31T12-00-00Z", {Section::test, "1", "state.bin"}, 1);
  leave_test(run, "test_2026-01-31T12-00-02Z", {Section::validation, "1", "state.bin"}, 3);
  leave_test(run, "test_of_another", {Section::test, "1", "state.bin"}, 4);
  std::filesystem::create_directory(run.path() / "test_2026-01-31T12-00-03Z"); // killed half way
  const auto tests = read_tests(run.path());
  REQUIRE(tests.size() == 2);
  CHECK(tests[0].time == "2026-01-31T12:00:00Z");
  CHECK(tests[0].model == (run.path() / "state.bin").string());
  CHECK(tests[0].metrics
        == std::map<std::string, double>{{"episodes_aggregated", 1},
                                         {"samples_aggregated", 1},
                                         {"loss", 1},
                                         {"loss_min", 1},
                                         {"loss_max", 1},
                                         {"loss_std", 0}});
  CHECK(tests[1].metrics.at("loss") == 2);
  CHECK(has_settings(tests[0], settings_of_test));
  CHECK_FALSE(has_settings(tests[0], read("problem: {name: csv}")));
  CHECK(read_tests(run.path() / "none").empty());
}

TEST_CASE("a test older than its model's file does not count", "[M50]") {
  const WorkFolder run;
  leave_test(run, "test_2026-01-31T12-00-00Z", {Section::test, "1", "state.bin"}, 1);
  const auto model = run.path() / "state.bin";
  std::ofstream{model} << "parameters";
  std::filesystem::last_write_time(model, std::filesystem::file_time_type::clock::now()
                                            - std::chrono::hours{1});
  CHECK(read_tests(run.path()).size() == 1);
  std::filesystem::last_write_time(model, std::filesystem::file_time_type::clock::now()
                                            + std::chrono::hours{1});
  CHECK(read_tests(run.path()).empty());
}
