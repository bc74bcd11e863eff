#include "apps/session/same_rows.hpp"
#include "base/failure.hpp"
#include "tests/support/program.hpp"
#include "tests/support/run_yaml.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

const std::string begun = "{name: csv, path: a.csv, missing: drop, split_seed: 0, "
                          "validation_fraction: 0.1, test_fraction: 0.1}";

void check_wanted(const std::string& wanted) { check_same_rows(read(begun), read(wanted)); }

/// A run on coin tosses that are independent of the rest of their rows.
struct CoinRun {
  CoinRun() {
    for (const auto* name : {"coins.csv", "other.csv"}) {
      std::ofstream table(work.path() / name);
      table << "a,b,coin\n";
      for (int i = 0; i < 60; ++i)
        table << i << "," << i * i % 7 << (i * 37 % 11 < 5 ? ",heads\n" : ",tails\n");
    }
    REQUIRE(ran("train -q training.epochs=1 training.seed=1 problem.name=csv "
                "problem.path=coins.csv model.hidden='[4]'")
              .code
            == 0);
  }
  Ran ran(const std::string& arguments) const { return troupe_program(work.path(), arguments); }
  void refuses(const std::string& arguments, const std::string& option) const {
    const auto refused = ran(arguments);
    CHECK(refused.code == 78);
    CHECK_THAT(refused.error, Contains(option) && Contains("rows that were trained on"));
    CHECK(shell(work.path(), "ls runs/latest/ | grep test_").out.empty());
  }
  WorkFolder work;
};

} // namespace

TEST_CASE("rows of the same files stay in their sections, rows of other files need not", "[M13]") {
  CHECK_NOTHROW(check_wanted(begun));
  CHECK_NOTHROW(check_wanted("{name: csv, path: a.csv, missing: drop, split_seed: 0, "
                             "validation_fraction: 0.10, test_fraction: 1e-1}"));
  CHECK_THROWS_WITH(check_wanted("{name: csv, path: a.csv, missing: drop, split_seed: 1, "
                                 "validation_fraction: 0.1, test_fraction: 0.1}"),
                    Contains("problem.split_seed is 1, but the run started with 0"));
  CHECK_THROWS_AS(check_wanted("{name: csv, path: a.csv, missing: mean, split_seed: 0, "
                               "validation_fraction: 0.1, test_fraction: 0.1}"),
                  ConfigError);
  CHECK_NOTHROW(check_wanted("{name: csv, path: b.csv, missing: mean, split_seed: 1, "
                             "validation_fraction: 0, test_fraction: 0.9}"));
  CHECK_NOTHROW(check_wanted("{name: text, path: a.csv, test_fraction: 0.9}"));
}

TEST_CASE("another spelling of the path means the same rows", "[M13]") {
  for (const auto* path : {"./a.csv", "x/../a.csv", ".//a.csv"})
    CHECK_THROWS_WITH(
      check_wanted(std::string{"{name: csv, missing: drop, split_seed: 1, path: "} + path + "}"),
      Contains("problem.split_seed"));
  CHECK_NOTHROW(check_wanted("{name: csv, path: x/a.csv, split_seed: 1}"));
}

TEST_CASE("a model's rows are read with the same options from any file", "[M13]") {
  const auto check = [](const std::string& before, const std::string& now) {
    check_same_rows(read("{name: csv, path: a.csv, " + before + "}"),
                    read("{name: csv, path: b.csv, " + now + "}"));
  };
  CHECK_THROWS_WITH(check("label: coin", "label: side"),
                    Contains("problem.label is side, but the run started with coin")
                      && Contains("read that way"));
  CHECK_THROWS_WITH(check("ignore: [a]", "ignore: [a, b]"), Contains("problem.ignore is [a, b]"));
  CHECK_THROWS_AS(check("standardize: true", "standardize: no"), ConfigError);
  CHECK_NOTHROW(check("standardize: true, ignore: [a]", "standardize: yes, ignore: [a]"));
  CHECK_NOTHROW(check("label: 3", "label: '3'"));
  CHECK_NOTHROW(check("label: coin", "separator: tab")); // its default depends on the problem
}

TEST_CASE("a test of rows that may have been trained on is refused", "[M13][M42][M44]") {
  const CoinRun run;
  run.refuses("test latest problem.split_seed=1", "problem.split_seed");
  run.refuses("test latest problem.test_fraction=0.5", "problem.test_fraction");
  run.refuses("test latest problem.validation_fraction=0.3", "problem.validation_fraction");
  run.refuses("test latest 'testing.multi_tests={split_seed: [0, 1]}'", "problem.split_seed");
  CHECK(run.ran("test latest problem.path=other.csv problem.test_fraction=0.5").code == 0);
}

TEST_CASE("a run does not resume with its test rows", "[M13][train]") {
  const CoinRun run;
  run.refuses("train --resume latest training.epochs=2 problem.split_seed=1", "problem.split_seed");
  CHECK(run.ran("train -q --resume latest training.epochs=2 problem.split_seed=0").code == 0);
}
