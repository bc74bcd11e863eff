// Sequences that grow, or continue from batch to batch, in whole runs.
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <map>
#include <vector>

using namespace troupe::test;

namespace {

const std::string growing_recall
  = "train -q --json problem.name=serial_recall problem.symbols=3 problem.max_length=4 "
    "problem.train=90 problem.validation=20 problem.test=20 model.name=char_lstm model.width=4 "
    "model.hidden=8 training.seed=3 training.batch_size=10 training.epochs=4 ";

const std::string carrying_text
  = "train -q --json problem.name=text problem.path=letters.txt problem.length=8 "
    "problem.streams=10 training.batch_size=10 training.shuffle=false training.seed=4 "
    "training.epochs=2 model.name=char_lstm model.width=4 model.hidden=6 model.carry=true ";

/// Writes a text of 2000 letters and spaces.
void write_letters(const std::filesystem::path& work) {
  std::ofstream file{work / "letters.txt"};
  for (unsigned i = 0, x = 1; i < 2000; ++i) {
    x = x * 1103515245 + 12345;
    file << "abcde "[x / 65536 % 6];
  }
}

std::string ends_with_bits(const Ran& ran) {
  INFO(ran.error);
  REQUIRE(ran.code == 0);
  return json_text(ran.out, "parameters");
}

using Lengths = std::map<int, std::vector<int>>; // per epoch, by worker

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

TEST_CASE("a configured curriculum is recorded for each worker", "[M29]") {
  WorkFolder work;
  ends_with_bits(troupe_program(
    work.path(), growing_recall + "'problem.curriculum={initial: 2}' training.workers=2"));
  CHECK(recorded_lengths(work.path()) == Lengths{{0, {2, 3, 4, 4}}, {1, {2, 3, 4, 4}}});
}

TEST_CASE("a low loss ends no run before its curriculum, unless that may stay unfinished",
          "[M29][trainers]") {
  WorkFolder work;
  const auto epochs_until = [&](const std::string& must_finish) {
    const auto ran = troupe_program(
      work.path(),
      "train -q --json problem.name=serial_recall problem.min_length=6 problem.max_length=6 "
      "problem.train=20 problem.validation=20 problem.test=20 model.name=char_lstm model.width=4 "
      "model.hidden=4 training.seed=3 trainer=offline training.terminal_conditions.loss_stop=1e9 "
      "problem.curriculum.initial=2 problem.curriculum.must_finish="
        + must_finish);
    INFO(ran.error);
    REQUIRE(ran.code == 0);
    return nlohmann::json::parse(ran.out)["epochs"].get<int>();
  };
  CHECK(epochs_until("true") == 4); // of 2, 3, 4 and 5 symbols
  CHECK(epochs_until("false") == 1);
}

TEST_CASE("an invalid curriculum ends the program with the sentence", "[M29]") {
  WorkFolder work;
  const auto ran = troupe_program(work.path(), growing_recall + "problem.curriculum.initial=5");
  CHECK(ran.code == 78);
  CHECK(ran.error.find("curriculum.initial is 5; give 1 to max_length, which is 4")
        != std::string::npos);
}

TEST_CASE("a run that carries its state resumes to the bits of one without a stop",
          "[carry][B45]") {
  WorkFolder work;
  write_letters(work.path());
  const auto whole = ends_with_bits(troupe_program(work.path(), carrying_text));
  const auto part
    = troupe_program(work.path(), carrying_text + "extensions.finish_after.after_n_batches=7");
  CHECK(ends_with_bits(part) != whole);
  const auto rest
    = troupe_program(work.path(), "train -q --json --resume " + json_text(part.out, "run"));
  CHECK(ends_with_bits(rest) == whole);
}

TEST_CASE("batches that would interrupt streams end the program with the cure", "[carry]") {
  WorkFolder work;
  write_letters(work.path());
  for (const auto* wrong :
       {"training.batch_size=20", "training.shuffle=true", "training.workers=2"}) {
    const auto ran = troupe_program(work.path(), carrying_text + wrong);
    INFO(ran.error);
    CHECK(ran.code == 78);
    CHECK(ran.error.find("10 streams that continue from batch to batch") != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(work.path() / "runs"));
  }
}

TEST_CASE("a test measures a whole section of streams, or as many batches as configured",
          "[carry][M42][M43]") {
  WorkFolder work;
  write_letters(work.path());
  const auto trained = troupe_program(work.path(), carrying_text + "problem.test_fraction=0.5");
  INFO(trained.error);
  REQUIRE(trained.code == 0);
  const auto tested = [&work](const std::string& arguments) {
    const auto ran = troupe_program(work.path(), "test --json latest " + arguments);
    INFO(ran.error);
    REQUIRE(ran.code == 0);
    return nlohmann::json::parse(ran.out);
  };
  const auto whole = tested(""); // 124 windows after 1000 letters, of which 12 batches are whole
  CHECK(whole["examples"] == 120);
  CHECK(whole["episodes"] == 12);
  CHECK(whole["test"] == nlohmann::json::parse(trained.out)["test"]);
  CHECK(tested("testing.max_test_episodes=5")["examples"] == 50);
}

TEST_CASE("the training loss uses the same weights as an evaluation", "[train][B36][T26]") {
  WorkFolder work;
  const auto ran = troupe_program(
    work.path(),
    "train --no-progress problem.name=tagging problem.train=64 problem.validation=16 "
    "problem.test=16 problem.endless=false model.name=lstm_tagger model.width=4 model.hidden=4 "
    "training.batch_size=1 training.epochs=1 training.seed=1 optimizer.learning_rate=0 "
    "extensions.printing.style=json extensions.all.type=stream_monitoring "
    "extensions.all.section=train");
  INFO(ran.error);
  REQUIRE(ran.code == 0);
  const auto begin = ran.error.find("{\"worker\":0,\"batch\":64");
  REQUIRE(begin != std::string::npos);
  const auto row
    = nlohmann::json::parse(ran.error.substr(begin, ran.error.find('\n', begin) - begin));
  CHECK(row["training_loss"].get<double>() == Approx(row["train_loss"].get<double>()));
}
