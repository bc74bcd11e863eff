// A curriculum in whole runs.
#include "troupe/tests/support/program.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <map>
#include <vector>

using namespace troupe::test;

namespace {

const std::string growing_recall
  = "train -q --json problem.name=serial_recall problem.symbols=3 problem.max_length=4 "
    "problem.train=90 problem.validation=20 problem.test=20 model.name=char_lstm model.width=4 "
    "model.hidden=8 training.seed=3 training.batch_size=10 training.epochs=5 "
    "problem.curriculum.initial=2 ";

std::string ends_with_bits(const Ran& ran) {
  INFO(ran.error);
  REQUIRE(ran.code == 0);
  return json_text(ran.out, "parameters");
}

using Lengths = std::map<int, std::vector<int>>; // of the epochs, by worker

/// The records curriculum_length of the last run.
Lengths recorded_lengths(const std::filesystem::path& work) {
  Lengths lengths;
  std::ifstream log{work / "runs/latest/log.jsonl"};
  for (std::string line; std::getline(log, line);) {
    const auto entry = nlohmann::json::parse(line);
    if (entry.contains("records") && entry["records"].contains("curriculum_length"))
      lengths[entry["worker"].get<int>()].push_back(
        entry["records"]["curriculum_length"].get<int>());
  }
  return lengths;
}

} // namespace

TEST_CASE("the log tells how long the sequences of each epoch were", "[M29]") {
  WorkFolder work;
  ends_with_bits(troupe_program(work.path(), growing_recall));
  CHECK(recorded_lengths(work.path()) == Lengths{{0, {2, 3, 4, 4, 4}}});
}

TEST_CASE("a run without a curriculum tells of none", "[M29]") {
  WorkFolder work;
  ends_with_bits(troupe_program(work.path(), growing_recall + "problem.curriculum.initial=0"));
  CHECK(recorded_lengths(work.path()).empty());
}

TEST_CASE("a run that stops within its curriculum goes on to the bits of one that does not",
          "[M29][B45]") {
  WorkFolder work;
  const auto whole = ends_with_bits(troupe_program(work.path(), growing_recall));
  for (const auto* batches : {"9", "13"}) { // at the end of an epoch, and inside the second
    const auto part = troupe_program(
      work.path(), growing_recall + "extensions.finish_after.after_n_batches=" + batches);
    CHECK(ends_with_bits(part) != whole);
    const auto rest
      = troupe_program(work.path(), "train -q --json --resume " + json_text(part.out, "run"));
    CHECK(ends_with_bits(rest) == whole);
    CHECK(recorded_lengths(work.path()) == Lengths{{0, {2, 3, 4, 4, 4}}});
  }
}

TEST_CASE("batches that are read ahead have the length of their own epoch", "[M29][loader]") {
  WorkFolder work;
  const auto alone = ends_with_bits(troupe_program(work.path(), growing_recall));
  CHECK(ends_with_bits(troupe_program(work.path(), growing_recall + "training.loader.ahead=7"))
        == alone);
}

TEST_CASE("two workers have sequences of the same length in each epoch", "[M29]") {
  WorkFolder work;
  ends_with_bits(troupe_program(work.path(), growing_recall + "training.workers=2"));
  CHECK(recorded_lengths(work.path()) == Lengths{{0, {2, 3, 4, 4, 4}}, {1, {2, 3, 4, 4, 4}}});
}

TEST_CASE("a curriculum that cannot be ends the program with the sentence", "[M29]") {
  WorkFolder work;
  const auto ran = troupe_program(work.path(), growing_recall + "problem.curriculum.initial=5");
  CHECK(ran.code == 78);
  CHECK(ran.error.find("curriculum.initial is 5; give 1 to max_length, which is 4")
        != std::string::npos);
}
