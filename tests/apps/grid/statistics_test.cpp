#include "tests/support/experiment.hpp"

#include <algorithm>

using namespace troupe::test;
using Catch::Contains;

namespace {

const std::string with_statistics = small_digits + "extensions.statistics.weighted=false ";

const std::vector<std::string> statistics_files{
  "training_statistics.csv", "training_set_agg_statistics.csv", "validation_statistics.csv",
  "validation_set_agg_statistics.csv"};

std::filesystem::path folder_of(const WorkFolder& work, const Ran& ran) {
  INFO(ran.error);
  REQUIRE(ran.code == 0);
  return work.path() / json_text(ran.out, "run");
}

std::ptrdiff_t rows_in(const std::filesystem::path& file) {
  const auto text = contents(file);
  return std::count(text.begin(), text.end(), '\n') - 1;
}

} // namespace

TEST_CASE("a run writes four statistics files", "[M33]") {
  WorkFolder work;
  const auto folder = folder_of(
    work, troupe_program(work.path(), "train -q --json training.epochs=3 " + with_statistics));
  CHECK(rows_in(folder / "training_statistics.csv") == 30);
  CHECK(rows_in(folder / "training_set_agg_statistics.csv") == 3);
  CHECK(rows_in(folder / "validation_statistics.csv") == 0);
  CHECK(rows_in(folder / "validation_set_agg_statistics.csv") == 4); // one before training
}

TEST_CASE("statistics of a run stopped within an epoch continue to the same files", "[M33][B45]") {
  WorkFolder work;
  const auto whole = folder_of(
    work, troupe_program(work.path(), "train -q --json training.epochs=3 " + with_statistics));
  const auto half
    = folder_of(work, troupe_program(work.path(), "train -q --json training.epochs=3 "
                                                  "extensions.finish_after.after_n_batches=13 "
                                                    + with_statistics));
  folder_of(work, troupe_program(work.path(), "train -q --json --resume " + half.string()));
  for (const auto& file : statistics_files)
    CHECK(contents(half / file) == contents(whole / file));
}

TEST_CASE("a full validation's line has the minimum, maximum and deviation of its batches",
          "[trainers][M31][M33]") {
  Experiment experiment;
  experiment.train("trainer=offline extensions.statistics.weighted=false " + Experiment::limits
                   + "epoch_limit=1");
  std::istringstream file{
    contents(experiment.path() / "runs/latest/validation_set_agg_statistics.csv")};
  std::string names, line;
  std::getline(file, names);
  std::getline(file, line);
  CHECK(names
        == "episode,episodes_aggregated,loss,loss_min,loss_max,loss_std,epoch,acc,acc_min,acc_max,"
           "acc_std"); // as for a test
  CHECK_THAT(line, Catch::StartsWith("000009,3,"));
  CHECK(std::count(line.begin(), line.end(), ',') == std::count(names.begin(), names.end(), ','));
  CHECK_THAT(line, !Contains(",,"));
}

TEST_CASE("a problem's own statistics reach file, log and checkpoint", "[M32]") {
  WorkFolder work;
  const auto folder = folder_of(
    work, troupe_program(
            work.path(),
            "train -q --json problem.name=tagging problem.train=96 problem.validation=32 "
            "problem.test=32 model.name=lstm_tagger model.width=4 model.hidden=4 training.epochs=1 "
            "training.batch_size=32 training.seed=1 extensions.statistics.weighted=false"));
  CHECK_THAT(contents(folder / "training_statistics.csv"),
             Catch::StartsWith("loss,episode,epoch,batch_size,seq_length,max_seq_length\n"));
  CHECK_THAT(contents(folder / "training_set_agg_statistics.csv"), Contains("seq_length_std"));
  CHECK_THAT(contents(folder / "log.jsonl"),
             Contains("\"seq_length\":") && Contains("\"training_seq_length\":"));
  const auto state = contents(folder / "checkpoint.bin");
  CHECK(state.find("training_seq_length") != std::string::npos);
}

TEST_CASE("a problem's own statistics reach the files of a test", "[M32][M42]") {
  WorkFolder work;
  const auto ran = troupe_program(
    work.path(),
    "train -q problem.name=tagging problem.train=32 problem.validation=32 problem.test=48 "
    "model.name=lstm_tagger model.width=4 model.hidden=4 training.epochs=1 training.seed=1");
  INFO(ran.error);
  REQUIRE(ran.code == 0);
  const auto tested
    = troupe_program(work.path(), "test --json latest --tag own testing.batch_size=16");
  INFO(tested.error);
  REQUIRE(tested.code == 0);
  const auto folder = work.path() / json_text(tested.out, "folder");
  CHECK_THAT(contents(folder / "testing_statistics.csv"),
             Contains(",batch_size,seq_length,max_seq_length\n"));
  CHECK_THAT(contents(folder / "testing_set_agg_statistics.csv"),
             Contains(",seq_length,seq_length_min,seq_length_max,seq_length_std,max_seq_length,"));
}

TEST_CASE("the log interval applies to lines, not to files", "[M34]") {
  WorkFolder work;
  const auto ran = troupe_program(
    work.path(), "train --no-progress run.log_interval=10 training.epochs=2 " + with_statistics);
  CAPTURE(ran.error);
  CHECK_THAT(ran.error, Contains("episode 000009; epoch 00") && Contains("episode 000019"));
  CHECK_THAT(ran.error, !Contains("episode 000011"));
  CHECK(rows_in(work.path() / "runs/latest/training_statistics.csv") == 20);
}

TEST_CASE("samples are pictures of digits with predictions, in the run's folder", "[M55]") {
  WorkFolder work;
  const auto folder
    = folder_of(work, troupe_program(work.path(), "train -q --json training.epochs=2 "
                                                  "extensions.samples.visualize=3 "
                                                    + small_digits));
  CHECK(std::filesystem::exists(folder / "samples/validation_000020.png"));
  CHECK_FALSE(std::filesystem::exists(folder / "samples/validation_000010.png"));
}
