#include "base/exit_codes.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using namespace troupe::test;

TEST_CASE("plot draws the curves of a run", "[plot][L27]") {
  WorkFolder work;
  REQUIRE(troupe_program(work.path(),
                         "train -q training.epochs=2 log.store.path=logs.sqlite " + small_digits)
            .code
          == 0);
  const auto svg = troupe_program(work.path(), "plot latest");
  INFO(svg.error);
  REQUIRE(svg.code == 0);
  CHECK(svg.out == "curves.svg\n");
  CHECK(contents(work.path() / "curves.svg").starts_with("<?xml"));
  const auto png = troupe_program(
    work.path(), "plot -o c.png --log --smooth 0.5 --against examples --store logs.sqlite latest");
  INFO(png.error);
  REQUIRE(png.code == 0);
  CHECK(contents(work.path() / "c.png").starts_with("\x89PNG"));
}

TEST_CASE("a plot that cannot be drawn is refused with the cure", "[plot]") {
  WorkFolder work;
  std::filesystem::create_directories(work.path() / "run");
  std::ofstream(work.path() / "run/log.jsonl")
    << R"({"worker":0,"batch":1,"epoch":0,"seconds":0,"time":"t","records":{"training_loss":1}})"
    << "\n{\"wor";
  const auto complaint = [&](const std::string& words, ExitCode code) {
    const auto ran = troupe_program(work.path(), "plot " + words);
    CHECK(ran.code == static_cast<int>(code));
    CHECK(ran.out.empty());
    return ran.error;
  };
  CHECK_THAT(complaint("run -o x.pdf", ExitCode::usage), Catch::Contains(".svg or .png"));
  CHECK_THAT(complaint("run --smooth 1", ExitCode::usage), Catch::Contains("from 0 to below 1"));
  CHECK_THAT(complaint("run --smooth nan", ExitCode::usage), Catch::Contains("from 0 to below 1"));
  CHECK_THAT(complaint("run --against epoch", ExitCode::usage),
             Catch::Contains("did you mean epochs?"));
  CHECK_THAT(complaint("run --record training_los", ExitCode::usage),
             Catch::Contains("did you mean 'training_loss'?"));
  CHECK_THAT(complaint("nowhere", ExitCode::io), Catch::Contains("no log.jsonl"));
  CHECK_THAT(complaint("--store run/log.jsonl x", ExitCode::io), Catch::Contains("not a database"));
  CHECK_THAT(complaint("run -o nowhere/c.svg", ExitCode::io), Catch::Contains("nowhere"));
  const auto ran = troupe_program(work.path(), "plot run");
  CHECK(ran.code == 0);
  CHECK(ran.error == "troupe: 1 line was skipped, damaged or half written\n");
}
