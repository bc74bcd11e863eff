// Warnings about extensions at the start of a run.
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace troupe::test;
using Catch::Contains;

TEST_CASE("workers that share nothing are warned, end with the main worker's result, and resume",
          "[train][L10][L11]") {
  const WorkFolder work;
  const auto alone
    = "training.workers=2 extensions.shared_params_rate_limited=false " + small_digits;
  const auto ran
    = troupe_program(work.path(), "train --json --no-progress training.epochs=2 " + alone);
  CAPTURE(ran.error);
  REQUIRE(ran.code == 0);
  CHECK_THAT(ran.error, Contains("no extension shares the parameters of the workers"));
  CHECK(nlohmann::json::parse(ran.out)["workers"].size() == 2);
  const auto resumed
    = troupe_program(work.path(), "train --json --no-progress --resume latest training.epochs=3");
  CAPTURE(resumed.error);
  CHECK(resumed.code == 0);
}

TEST_CASE("workers that never came to a sync end with the main worker's result",
          "[train][L10][L11][L17]") {
  const WorkFolder work;
  const auto measured = [&](const std::string& command) {
    const auto ran = troupe_program(work.path(), command);
    CAPTURE(ran.error);
    REQUIRE(ran.code == 0);
    return nlohmann::json::parse(ran.out)["test"]["accuracy"].get<double>();
  };
  const auto trained = measured("train --json --no-progress training.epochs=25 training.workers=2 "
                                "extensions.shared_params_rate_limited.limit.maximum_rate=0 "
                                + small_digits);
  CHECK(trained > 0.3); // the initial parameters guess one of ten right
  CHECK(measured("test --json latest") == trained);
}

TEST_CASE("workers that share parameters, and one alone, are not warned", "[train][L11]") {
  const WorkFolder work;
  for (const auto* workers : {"training.workers=2 ", "training.workers=1 "}) {
    const auto ran = troupe_program(work.path(), "train --no-progress training.epochs=1 "
                                                   + std::string{workers} + small_digits);
    CHECK(ran.code == 0);
    CHECK_THAT(ran.error, !Contains("no extension shares"));
  }
}

TEST_CASE("workers whose sync has no trigger are warned, whichever default triggers are removed",
          "[train][L11]") {
  const WorkFolder work;
  const auto told = [&](const std::string& triggers) {
    const auto ran
      = troupe_program(work.path(), "train --no-progress training.epochs=1 training.workers=2 "
                                    "'+extensions.shared_params_auto_sync={"
                                      + triggers + "}' " + small_digits);
    CHECK(ran.code == 0);
    return ran.error;
  };
  const std::string warning = "has no trigger, so it never syncs after the start";
  CHECK_THAT(told("alpha: 0.5"), Contains(warning));
  CHECK_THAT(told("on_interrupt: false"), Contains(warning));
  CHECK_THAT(told("on_interrupt: false, every_n_batches: 2"), !Contains(warning));
}

TEST_CASE("one checkpoint saves all workers of a process", "[train][B42]") {
  const WorkFolder work;
  const auto ran
    = troupe_program(work.path(), "train --json --no-progress training.epochs=1 "
                                  "training.workers=2 extensions.checkpoint.workers=all "
                                    + small_digits);
  CAPTURE(ran.error);
  REQUIRE(ran.code == 0);
  const auto result = nlohmann::json::parse(ran.out);
  auto checkpoints = 0;
  for (const auto& worker : result["workers"])
    for (const auto& extension : worker["extensions"])
      checkpoints += extension["name"] == "checkpoint" ? 1 : 0;
  CHECK(checkpoints == 1);
}

TEST_CASE("a printed line has all measurements, in any order of the sections",
          "[train][B31][B41]") {
  const WorkFolder work;
  const auto ran = troupe_program(
    work.path(), "train --no-progress training.epochs=6 extensions.second.type=stream_monitoring "
                 "extensions.second.section=train "
                   + small_digits);
  REQUIRE(ran.code == 0);
  std::istringstream lines{ran.error + ran.out};
  auto epochs = 0;
  for (std::string line; std::getline(lines, line);)
    if (line.find("epoch ") != std::string::npos && line.find(", batch ") != std::string::npos) {
      ++epochs;
      CHECK_THAT(line, Contains("validation_loss") && Contains("train_loss"));
    }
  CHECK(epochs == 7); // including the row before the first one
}
