#include "apps/config/tree.hpp"
#include "apps/run_config/multi_tests.hpp"
#include "tests/support/program.hpp"
#include "tests/support/run_yaml.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using Catch::Contains;

namespace {

config::Node varied(const std::string& lists) {
  return test::read("problem: {name: digits, test: 100, seed: 0}\n"
                    "model: {name: mlp}\n"
                    "testing: {sampler: {name: all, indices: []}, max_test_episodes: -1, "
                    "multi_tests: {"
                    + lists + "}}\n");
}

std::string value_at(const config::Node& tree, const config::Path& path) {
  return config::get(tree, path)->text();
}

} // namespace

TEST_CASE("the values at the same position of all lists make one test", "[M44][M3]") {
  const auto trees = trees_of_tests(varied("test: [10, 20], problem.seed: [3, 4]"));
  REQUIRE(trees.size() == 2);
  CHECK(value_at(trees[0], {"problem", "test"}) == "10");
  CHECK(value_at(trees[0], {"problem", "seed"}) == "3");
  CHECK(value_at(trees[1], {"problem", "test"}) == "20");
  CHECK(value_at(trees[1], {"problem", "seed"}) == "4");
  CHECK(value_at(trees[1], {"model", "name"}) == "mlp");
  for (const auto& tree : trees)
    CHECK(config::get(tree, {"testing", "multi_tests"})->entries().empty());
}

TEST_CASE("each test is named by its own settings", "[M44]") {
  using Settings = std::vector<std::pair<std::string, std::string>>;
  const auto settings = settings_of_tests(varied("test: [10, 20], problem.seed: [3, 4]"));
  REQUIRE(settings.size() == 2);
  CHECK(settings[0] == Settings{{"problem.test", "10"}, {"problem.seed", "3"}});
  CHECK(settings[1] == Settings{{"problem.test", "20"}, {"problem.seed", "4"}});
  CHECK(settings_of_tests(varied("")) == std::vector<Settings>{{}});
}

TEST_CASE("without lists there is one test", "[M44]") {
  const auto trees = trees_of_tests(varied(""));
  REQUIRE(trees.size() == 1);
  CHECK(value_at(trees[0], {"problem", "test"}) == "100");
}

TEST_CASE("lists that do not make tests are refused, each with its cure", "[M44][M3]") {
  const auto refused = [](const std::string& lists, const std::string& sentence) {
    CHECK_THROWS_WITH(trees_of_tests(varied(lists)), Contains(sentence));
  };
  refused("test: [1, 2], seed: [1]", "it has 1 value, but problem.test has 2");
  refused("tests: [1, 2]", "did you mean 'test'?");
  refused("problem.sed: [1, 2]", "did you mean 'problem.seed'?");
  refused("model.name: [mlp, linear]", "problem and testing have no such setting");
  refused("name: [all, all]",
          "'name' is ambiguous: give one of problem.name, testing.sampler.name");
  refused("test: []", "it has no values");
  refused("test: [1, 2], problem.test: [3, 4]", "another name of a setting");
  std::string many = "test: [1";
  for (int i = 0; i < 1000; ++i)
    many += ", 1";
  refused(many + "]", "it has 1001 values, one for each test; give at most 1000");
  Sentences errors;
  check_tests(varied("tests: [1], sed: [1]"), errors);
  CHECK(errors.size() == 2);
}

TEST_CASE("lists that do not make tests are refused before anything is trained", "[M44]") {
  const test::WorkFolder work;
  const auto ran = test::troupe_program(work.path(), "train 'testing.multi_tests={epochs: [1]}'");
  CHECK(ran.code == 78);
  CHECK_THAT(ran.error, Contains("testing.multi_tests.epochs"));
  CHECK_FALSE(std::filesystem::exists(work.path() / "runs"));
}
