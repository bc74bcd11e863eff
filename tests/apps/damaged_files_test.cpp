// Files in a run's folder that somebody else has written, or nobody wholly.
#include "troupe/apps/config/yaml.hpp"
#include "troupe/apps/problem_file.hpp"
#include "troupe/apps/run_files.hpp"
#include "troupe/model/problems/data_error.hpp"
#include "troupe/tests/support/program.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using namespace troupe::test;

namespace {

/// A run that has ended at once.
FoundRun run_without_batches(const WorkFolder& work) {
  FoundRun found;
  found.path = work.path() / saved_run_file;
  found.run.trainers.emplace_back();
  return found;
}

std::optional<std::string> end_written_as(const std::string& result) {
  WorkFolder work;
  std::ofstream{work.path() / "result.json"} << result;
  return written_end(work.path(), run_without_batches(work), RunConfig{});
}

} // namespace

TEST_CASE("a result whose values are of other types tells of no end", "[R15]") {
  CHECK(end_written_as(R"({"outcome": "finished", "reason": "done", "batches": 0})") == "done");
  for (const auto* result :
       {R"({"outcome": 1, "reason": "done", "batches": 0})",
        R"({"outcome": "finished", "reason": "done", "batches": "0"})",
        R"({"outcome": "finished", "reason": "done", "batches": -1})",
        R"({"outcome": "finished", "reason": "done"})", R"(["finished"])", "{", ""}) {
    INFO(result);
    CHECK_FALSE(end_written_as(result));
  }
  CHECK(end_written_as(R"({"outcome": "finished", "reason": [7], "batches": 0})") == "");
}

TEST_CASE("a run that has learned nothing but brackets is damaged, however many they are",
          "[R15]") {
  WorkFolder work;
  std::ofstream{work.path() / "config.yaml"} << "problem: {name: csv}\n";
  const auto depth = GENERATE(9u, 1'000'000u);
  std::ofstream{work.path() / "problem.json"} << R"({"problem": "csv", "classes": )"
                                              << std::string(depth, '[') << std::string(depth, ']')
                                              << "}";
  const auto problem = config::read_yaml("name: csv", "config.yaml");
  CHECK_THROWS_AS(fit_in(work.path(), problem), DataError);
  CHECK_THROWS_AS(problem_metadata(work.path().string()), DataError);
}
