#include "troupe/tests/support/program.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using namespace troupe::test;

TEST_CASE("what is meant for a console that is closed stands in no file of the run",
          "[console][B42]") {
  WorkFolder work;
  const auto ran = troupe_program(work.path(), "train training.batches=4 " + small_digits + "2>&-");
  CHECK(ran.code == 0);
  std::istringstream lines{contents(work.path() / "runs/latest/log.jsonl")};
  auto rows = 0;
  for (std::string line; std::getline(lines, line); ++rows)
    CHECK_THAT(line, Catch::StartsWith("{\"run\":"));
  CHECK(rows > 4);
}

TEST_CASE("results for which there is no output are told of, and the run is saved", "[console]") {
  WorkFolder work;
  const auto ran
    = troupe_program(work.path(), "train -q training.batches=4 " + small_digits + ">&- <&-");
  CHECK(ran.code == 74);
  CHECK_THAT(ran.error, Catch::Contains("cannot write the results to standard output"));
  CHECK(troupe_program(work.path(), "train -q --resume latest training.batches=6").code == 0);
}
