#include "model/data/row_list.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

std::vector<Index> rows_in_file(const std::filesystem::path& file, Index size) {
  return parse_rows({file.string()}, size);
}

} // namespace

TEST_CASE("the two files together have each row of a problem once", "[M52]") {
  WorkFolder work;
  std::ofstream(work.path() / "run.yaml") << "problem: {name: digits, train: 500}\n";
  const auto ran = troupe_program(
    work.path(), "split --problem run.yaml problem.train=600 --split 450 --outdir parts");
  INFO(ran.error);
  REQUIRE(ran.code == 0);
  CHECK(ran.out == "parts/split_a.txt  450 rows\nparts/split_b.txt  150 rows\n");
  auto all = rows_in_file(work.path() / "parts/split_a.txt", 600);
  CHECK(all.size() == 450);
  const auto rest = rows_in_file(work.path() / "parts/split_b.txt", 600);
  all.insert(all.end(), rest.begin(), rest.end());
  std::sort(all.begin(), all.end());
  REQUIRE(all.size() == 600);
  CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
}

TEST_CASE("the option --ranges and --seed decide the rows of each file", "[M52]") {
  WorkFolder work;
  const auto first_file = [&](const std::string& options) {
    REQUIRE(troupe_program(work.path(), "split --length 20 --split 5 " + options).code == 0);
    return contents(work.path() / "split_a.txt");
  };
  CHECK(first_file("--ranges") == "0..5\n");
  CHECK(contents(work.path() / "split_b.txt") == "5..20\n");
  CHECK(first_file("--seed 1") == first_file("--seed 1"));
  CHECK(first_file("--seed 1") != first_file("--seed 2"));
}

TEST_CASE("samplers train and validate on the split files", "[M52][M13]") {
  WorkFolder work;
  REQUIRE(troupe_program(work.path(), "split --length 600 --split 500").code == 0);
  const auto ran = troupe_program(
    work.path(), "train -q --json training.epochs=1 "
                 "'training.sampler={name: subset_random, indices: split_a.txt}' "
                 "'validation.sampler={name: subset_sequential, indices: split_b.txt, section: "
                 "train}' "
                   + small_digits);
  INFO(ran.error);
  REQUIRE(ran.code == 0);
  CHECK(nlohmann::json::parse(ran.out)["examples"] == 500);
}

TEST_CASE("an invalid split writes no file", "[M52]") {
  WorkFolder work;
  const auto refused = [&](int code, const std::string& arguments) {
    const auto ran = troupe_program(work.path(), "split " + arguments);
    CHECK(ran.code == code);
    return ran.error;
  };
  CHECK_THAT(refused(2, "--split 3"), Contains("either --problem") && Contains("--length"));
  CHECK_THAT(refused(2, "--split 3 --length 9 --problem run.yaml"), Contains("either --problem"));
  CHECK_THAT(refused(2, "--split 9 --length 9"), Contains("give a number from 1 to 8"));
  CHECK_THAT(refused(2, "--split 3 --length 9 problem.seed=3"), Contains("--length has none"));
  for (const std::string length : {"-1", "2000000000"})
    CHECK_THAT(refused(2, "--split 3 --length=" + length),
               Contains("--length is " + length + "; give a number of rows from 1 to 1000000000"));
  CHECK_THAT(refused(2, "--split 3 --length 9 --seed 9223372036854775808"),
             Contains("'9223372036854775808' is not a seed") && Contains("9223372036854775807"));
  CHECK_THAT(refused(78, "--split 3 --problem none.yaml"), Contains("none.yaml"));
  CHECK_FALSE(std::filesystem::exists(work.path() / "split_a.txt"));
}
