// `--resume` and `--folder` with a run that was changed or damaged.
#include "apps/folder/run_files.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

nlohmann::json trained_by(const Ran& ran) {
  INFO(ran.error);
  REQUIRE(ran.code == 0);
  return nlohmann::json::parse(ran.out);
}

/// A folder `run` in which a run has trained two epochs of 3 batches.
Ran train_two_epochs(const WorkFolder& work, const std::string& words = "") {
  return troupe_program(work.path(), "train -q --json --folder run training.epochs=2 "
                                     "training.batch_size=200 "
                                       + small_digits + words);
}

} // namespace

TEST_CASE("a run resumed with another batch size trains whole epochs with it", "[train][B45]") {
  WorkFolder work;
  CHECK(trained_by(train_two_epochs(work))["batches"] == 6);
  const auto rest = trained_by(troupe_program(
    work.path(), "train -q --json --resume run training.epochs=4 training.batch_size=300"));
  CHECK(rest["epochs"] == 4);
  CHECK(rest["batches"] == 10);
  CHECK(rest["examples"] == 4 * 600);
}

TEST_CASE("in the middle of an epoch another batch size is refused, and the run stays as it is",
          "[train][B45]") {
  WorkFolder work;
  train_two_epochs(work, "extensions.finish_after.after_n_batches=4");
  const auto before = contents(work.path() / "run/config.yaml");
  const auto refused = troupe_program(work.path(), "train -q --resume run training.batch_size=300");
  CHECK(refused.code == 78);
  CHECK_THAT(refused.error, Contains("3 batches (600 examples)")
                              && Contains("2 batches (600 examples)") && Contains("state.bin"));
  const auto more = troupe_program(work.path(), "train -q --resume run training.workers=2");
  CHECK(more.code == 78);
  CHECK_THAT(more.error, Contains("the saved run has 1 worker, the configuration 2"));
  CHECK(contents(work.path() / "run/config.yaml") == before);
}

TEST_CASE("a refused resume leaves the run unchanged", "[train][B45]") {
  WorkFolder work;
  train_two_epochs(work);
  const auto before = contents(work.path() / "run/config.yaml");
  const std::vector<std::pair<std::string, std::string>> mistakes{
    {"extensions.checkpoint.keep=0", "checkpoint.keep is 0"},
    {"'+extensions.epochs={type: printing}'", "two extensions are called 'epochs'"},
    {"extensions.timing.after=[timestamp] extensions.timestamp.after=[timing]",
     "'timing' after 'timestamp' after 'timing'"},
    {"training.seed=99", "training.seed is 99, but the run started with"},
    {"model.hidden=[8]", "was saved with another model or optimizer: parameter"},
    {"optimizer.name=sgd '~optimizer.beta1' '~optimizer.beta2' '~optimizer.epsilon'",
     "was saved with another model or optimizer: sgd keeps 0 slots"},
  };
  for (const auto& [words, sentence] : mistakes) {
    const auto refused
      = troupe_program(work.path(), "train -q --resume run training.epochs=4 " + words);
    INFO(words << "\n" << refused.error);
    CHECK(refused.code == 78);
    CHECK_THAT(refused.error, Contains(sentence));
    CHECK(contents(work.path() / "run/config.yaml") == before);
  }
  const auto rest = troupe_program(work.path(), "train -q --json --resume run training.epochs=4");
  CHECK(trained_by(rest)["epochs"] == 4);
}

TEST_CASE("optimizer settings given with a resume apply from there on", "[train][B38][B45]") {
  WorkFolder work;
  train_two_epochs(work);
  std::filesystem::copy(work.path() / "run", work.path() / "other");
  const auto resume = [&](const std::string& words) {
    return troupe_program(work.path(),
                          "train --json --no-progress training.epochs=4 --resume " + words);
  };
  const auto changed = resume("run optimizer.learning_rate=0.05");
  CHECK_THAT(changed.error, Contains("from here on, as the configuration was changed: "
                                     "learning_rate 0.05 instead of 0.001"));
  CHECK_THAT(contents(work.path() / "run/log.jsonl"), Contains("\"learning_rate\":0.05"));
  CHECK(trained_by(changed)["parameters"] != trained_by(resume("other"))["parameters"]);
}

TEST_CASE("commands for a run whose newest state is damaged say which state they use",
          "[train][B44]") {
  WorkFolder work;
  train_two_epochs(work);
  auto bytes = contents(work.path() / "run/state.bin");
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  std::ofstream{work.path() / "run/state.bin", std::ios::binary} << bytes;
  const std::string warning = "warning: the newest intact one is used: run/checkpoint.bin";
  for (const std::string command :
       {"export run -o m.npz", "test -q run", "train -q --folder run training.epochs=3"}) {
    const auto ran = troupe_program(work.path(), command);
    INFO(command << ": " << ran.error);
    CHECK(ran.code == 0);
    CHECK_THAT(ran.error, Contains("state.bin' is damaged") && Contains(warning));
  }
}

TEST_CASE("a run whose newest checkpoint is empty resumes from the one before", "[train][B45]") {
  WorkFolder work;
  train_two_epochs(work);
  const auto run = work.path() / "run";
  std::filesystem::remove(run / "state.bin");
  std::ofstream{run / "checkpoint.bin"} << "";
  std::filesystem::last_write_time(run / "checkpoint.bin",
                                   std::filesystem::last_write_time(run / "checkpoint.1.bin")
                                     + std::chrono::seconds{1});
  CHECK(has_state(run));
  const auto found = begun_run(run);
  REQUIRE(found);
  CHECK(found->path == run / "checkpoint.1.bin");
  CHECK(found->refused.size() == 1);
  std::filesystem::remove(run / "checkpoint.1.bin");
  CHECK_THROWS_AS(begun_run(run), DataError); // no new run starts over existing files
}

TEST_CASE("a run resumes from checkpoints of any name", "[train][B45]") {
  WorkFolder work;
  train_two_epochs(work, "extensions.checkpoint.path=mine.bin "
                         "'+extensions.best={type: checkpoint, path: best.bin, resumable: false}'");
  const auto run = work.path() / "run";
  std::filesystem::remove(run / "state.bin");
  CHECK(checkpoints_of(run) == std::vector<std::string>{"checkpoint.bin", "mine.bin"});
  const auto found = begun_run(run);
  REQUIRE(found);
  CHECK(found->path == run / "mine.bin");
  const auto more = troupe_program(work.path(), "train -q --json --folder run training.epochs=3");
  CHECK(trained_by(more)["batches"] == 9);
}

TEST_CASE("loading a run's parameters finds checkpoints of any name", "[B43][B44][M40]") {
  WorkFolder work;
  train_two_epochs(work, "extensions.checkpoint.path=mine.bin");
  std::filesystem::remove(work.path() / "run/state.bin");
  const std::string load = GENERATE("--model run", "'extensions.load={path: run, required: true}'");
  const auto still = "train -q --json extensions.finish_after.before_epoch=true " + small_digits;
  const auto fingerprint = [&](const std::string& words) {
    const auto ran = troupe_program(work.path(), still + words);
    INFO(words << "\n" << ran.error);
    REQUIRE(ran.code == 0);
    return json_text(ran.out, "parameters");
  };
  const auto loaded = fingerprint(load);
  CHECK(loaded == fingerprint("--model run/mine.bin"));
  CHECK(loaded != fingerprint(""));
}

TEST_CASE("a run with renamed checkpoints is found until it has saved under the new name",
          "[train][B45]") {
  WorkFolder work;
  train_two_epochs(work, "extensions.checkpoint.path=mine.bin ");
  const auto run = work.path() / "run";
  std::filesystem::remove(run / "state.bin");
  const auto found = begun_run(run);
  REQUIRE(found);
  std::ofstream{run / "config.yaml"} << "extensions: {checkpoint: {path: other.bin}}\n";
  CHECK_FALSE(has_state(run));
  keep_findable(*found, run);
  const auto again = begun_run(run);
  REQUIRE(again);
  CHECK(again->run.trainers.front().position.batches
        == found->run.trainers.front().position.batches);
}

TEST_CASE("the log of a run without a state is kept when it starts again", "[train][B45]") {
  WorkFolder work;
  const auto run = work.path() / "run";
  for (const std::string rows : {"the first\n", "the second\n"}) {
    CHECK(fresh_folder(run) == run);
    CHECK_FALSE(std::filesystem::exists(run / "log.jsonl"));
    std::ofstream{run / "log.jsonl"} << rows;
  }
  fresh_folder(run);
  CHECK(contents(run / "log.1.jsonl") == "the first\n");
  CHECK(contents(run / "log.2.jsonl") == "the second\n");
}

TEST_CASE("starting again in the folder of a run without a state prints a warning",
          "[train][B45]") {
  WorkFolder work;
  train_two_epochs(work);
  for (const auto* state : {"state.bin", "checkpoint.bin", "checkpoint.1.bin"})
    std::filesystem::remove(work.path() / "run" / state);
  const auto anew = train_two_epochs(work);
  CHECK(trained_by(anew)["batches"] == 6);
  CHECK_THAT(anew.error, Contains("warning: the run in 'run' left no state to resume from")
                           && Contains("its log is now 'run/log.1.jsonl'"));
}

TEST_CASE("if 'latest' keeps pointing to another run, a warning says so", "[train]") {
  WorkFolder work;
  const auto train = "train -q --json training.epochs=1 " + small_digits;
  CHECK(troupe_program(work.path(), train).error.empty());
  std::filesystem::remove(work.path() / "runs/latest");
  std::filesystem::create_directory(work.path() / "runs/latest");
  const auto ran = troupe_program(work.path(), train);
  CHECK(ran.code == 0);
  CHECK_THAT(ran.error, Contains("warning: 'latest' does not point to this run")
                          && Contains("move 'runs/latest' away"));
}

TEST_CASE("a best state from after the state that a run resumes from is set aside",
          "[train][B45]") {
  WorkFolder work;
  const std::string stopping = " '+extensions.early_stopping={record: training_loss, epochs: 9}' "
                               "extensions.early_stopping.save_to=best.bin";
  train_two_epochs(work, stopping);
  std::filesystem::copy(work.path() / "run", work.path() / "killed",
                        std::filesystem::copy_options::recursive);
  trained_by(troupe_program(work.path(), "train -q --json --resume run training.epochs=5"));
  const auto best = contents(work.path() / "run/best.bin");
  // as if the process had been killed before it saved anything but the best state
  std::filesystem::copy(work.path() / "run/best.bin", work.path() / "killed/best.bin",
                        std::filesystem::copy_options::overwrite_existing);
  const auto resumed = troupe_program(
    work.path(), "train --no-progress --resume killed training.epochs=3 optimizer.learning_rate=5");
  CHECK(resumed.code == 0);
  CHECK_THAT(resumed.error + resumed.out,
             Contains("best.bin is of batch 15, after batch 6 from which the run resumes")
               && Contains("abandoned_best.bin"));
  CHECK(contents(work.path() / "killed/abandoned_best.bin") == best);
  CHECK_FALSE(std::filesystem::exists(work.path() / "killed/best.bin"));
  CHECK_THAT(resumed.out, !Contains("best.bin, by early stopping"));
}
