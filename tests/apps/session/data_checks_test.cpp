#include "apps/run_config/read_run_config.hpp"
#include "apps/session/data_checks.hpp"
#include "apps/session/reported_state.hpp"
#include "apps/session/run_problem.hpp"
#include "apps/session/small_table.hpp"
#include "base/failure.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

/// A table of two classes, or of a target that is about twice x.
std::string table_text(int rows, bool classes) {
  std::string text = "x,y\n";
  for (int i = 0; i < rows; ++i)
    text += std::to_string(i) + ","
            + (classes ? (i % 2 == 0 ? "even" : "odd") : std::to_string(2 * i) + ".5") + "\n";
  return text;
}

RunConfig config_of_table(const std::string& path, std::vector<std::string> overrides) {
  ConfigSources sources;
  sources.overrides = std::move(overrides);
  sources.overrides.emplace_back("problem.name=csv");
  sources.overrides.emplace_back("problem.path=" + path);
  return read_run_config(sources);
}

const std::string no_split = "problem.validation_fraction=0 problem.test_fraction=0 ";

const std::string normalizing = "model.name=network "
                                "'model.layers=[{linear: 4}, batch_norm, relu, output]' ";

} // namespace

TEST_CASE("data of one class are refused before a folder is made", "[init]") {
  WorkFolder work;
  std::ofstream(work.path() / "one.csv") << "x,y\n1,a\n2,a\n3,a\n4,a\n";
  for (const auto* command : {"init", "train"}) {
    const auto one = troupe_program(work.path(), std::string{command}
                                                   + " problem.name=csv problem.path=one.csv");
    CHECK(one.code == 65);
    CHECK_THAT(one.error, Contains("all 4 examples to train on are of one class, a"));
  }
  CHECK_FALSE(std::filesystem::exists(work.path() / "runs"));
}

TEST_CASE("data with equal targets are reported", "[init]") {
  WorkFolder work;
  std::ofstream(work.path() / "same.csv") << "x,y\n1,2.5\n2,2.5\n3,2.5\n";
  const auto ran = troupe_program(work.path(), "init problem.name=csv problem.path=same.csv");
  CHECK(ran.code == 0);
  CHECK_THAT(ran.out, Contains("all examples to train on have the same target"));
}

TEST_CASE("a batch of one example before a batch normalization is refused", "[init]") {
  WorkFolder work;
  std::ofstream(work.path() / "t.csv") << table_text(65, true);
  const auto init = "init problem.name=csv problem.path=t.csv " + no_split + normalizing;
  const auto ran = troupe_program(work.path(), init);
  CHECK(ran.code == 78);
  CHECK_THAT(ran.error, Contains("batch_norm0 needs at least two examples")
                          && Contains("the last batch of each epoch has one")
                          && Contains("training.drop_last=true"));
  CHECK(troupe_program(work.path(), init + "training.drop_last=true").code == 0); // the cure
  CHECK(troupe_program(work.path(), init + "training.batch_size=16").code == 78); // 4 of 16, and 1
  CHECK(troupe_program(work.path(), init + "training.batch_size=15").code == 0);
  const auto alone = troupe_program(work.path(), init + "training.batch_size=1");
  CHECK(alone.code == 78);
  CHECK_THAT(alone.error, Contains("each batch has one"));
  CHECK(troupe_program(work.path(), init + "training.workers=2").code == 0); // 33 and 32
  CHECK(troupe_program(work.path(), init + "training.workers=2 training.batch_size=16").code == 78);
}

TEST_CASE("init prints shapes and classes, and refuses a model that does not fit", "[init]") {
  WorkFolder work;
  std::ofstream(work.path() / "t.csv") << table_text(20, true);
  const auto ran = troupe_program(work.path(), "init problem.name=csv problem.path=t.csv");
  CHECK(ran.code == 0);
  CHECK_THAT(ran.out, Contains("input features float32 [any, 1]")
                        && Contains("target label class_index [any], 2 classes")
                        && Contains("to train on: even ") && Contains(", odd "));
  const auto unfit = troupe_program(work.path(), "init problem.name=csv problem.path=t.csv "
                                                 "model.loss=mean_squared_error");
  CHECK(unfit.code == 78);
  CHECK_THAT(unfit.out, Contains("input features")); // what was read is printed anyway
}

TEST_CASE("sections without rows and batches larger than the data are reported", "[init]") {
  WorkFolder work;
  std::ofstream(work.path() / "t.csv") << "x,y\n1,a\n2,b\n3,a\n";
  const auto ran = troupe_program(work.path(), "init problem.name=csv problem.path=t.csv");
  CHECK(ran.code == 0);
  CHECK_THAT(ran.out, Contains("no row to validate on: problem.validation_fraction is 0.1")
                        && Contains("no row to test on")
                        && Contains("training.batch_size is 64, more than the 3 examples"));
}

TEST_CASE("classes without a training example are named", "[init]") {
  TargetCounts counts{.examples = 4, .classes = {3, 0, 1}};
  const DataFolder folder;
  const auto config = config_of_table(folder.write("t.csv", table_text(20, true)), {});
  CHECK_THAT(data_remarks(config, *problem_of(config), counts, 1),
             Contains("1 of 3 classes have no example to train on: odd"));
}

TEST_CASE("statistics of a table are those of the rows that a sampler chooses", "[M13][init]") {
  WorkFolder work;
  std::ofstream(work.path() / "rows.csv") << table_text(200, false);
  const auto ran = troupe_program(
    work.path(), "train -q problem.name=csv problem.path=rows.csv " + no_split
                   + "training.epochs=1 --folder q "
                     "'training.sampler={name: subset_sequential, indices: 0..20}' "
                     "'validation.sampler={name: subset_sequential, section: train, "
                     "indices: 20..200}'");
  INFO(ran.error);
  REQUIRE(ran.code == 0);
  const auto fit = nlohmann::json::parse(contents(work.path() / "q/problem.json"));
  CHECK(fit["features"][0]["mean"] == 9.5);
  CHECK(fit["target"]["mean"] == 19.5);
}

TEST_CASE("metrics of a standardised target are in the unit of the predictions", "[init]") {
  WorkFolder work;
  std::ofstream(work.path() / "t.csv") << table_text(40, false);
  const auto of = "problem.name=csv problem.path=t.csv " + no_split;
  REQUIRE(troupe_program(work.path(), "train -q training.epochs=2 --folder R " + of).code == 0);
  REQUIRE(troupe_program(work.path(), "predict R -i t.csv -o p.csv").code == 0);
  const auto tested = troupe_program(work.path(), "test R --section train --json -q");
  std::ifstream predicted{work.path() / "p.csv"};
  std::string line;
  std::getline(predicted, line); // names
  double error = 0;
  for (int i = 0; i < 40 && std::getline(predicted, line); ++i)
    error += std::abs(std::stod(line.substr(line.rfind(',') + 1)) - (2 * i + 0.5)) / 40;
  INFO(tested.out << tested.error);
  CHECK(nlohmann::json::parse(tested.out)["train"]["mae"].get<double>()
        == Approx(error).epsilon(1e-3));
}

TEST_CASE("a small table is trained for some thousand steps, unless epochs are given",
          "[small_table]") {
  const DataFolder folder;
  const auto path = folder.write("t.csv", table_text(100, true));
  auto config = config_of_table(path, {});
  const auto problem = problem_of(config);
  CHECK_THAT(lengthen_for_small_table(config, *problem),
             Contains("training.epochs is 1000 instead of 20") && Contains("2000 steps"));
  CHECK(config.training.epochs == 1000);
  auto given = config_of_table(path, {"training.epochs=20"});
  CHECK(lengthen_for_small_table(given, *problem).empty());
  auto batches = config_of_table(path, {"training.batches=20"});
  CHECK(lengthen_for_small_table(batches, *problem).empty());
  auto large = config_of_table(path, {"training.batch_size=1"});
  CHECK_THAT(lengthen_for_small_table(large, *problem), Contains("training.epochs is 40"));
}

TEST_CASE("a longer run on a small table keeps its best state by validation", "[small_table]") {
  const DataFolder folder;
  const auto path = folder.write("t.csv", table_text(100, true));
  const auto kept = [&path](std::vector<std::string> overrides) {
    auto config = config_of_table(path, std::move(overrides));
    const auto problem = problem_of(config);
    lengthen_for_small_table(config, *problem);
    return best_state_of(config);
  };
  CHECK(kept({}) == "best.bin");
  CHECK(kept({"training.epochs=20"}).empty());
  CHECK(kept({"problem.validation_fraction=0"}).empty());
  CHECK(kept({"extensions.stream_monitoring=false"}).empty());
  CHECK(kept({"extensions.early_stopping=false"}).empty());
  CHECK(kept({"extensions.early_stopping={epochs: 9, save_to: mine.bin}"}) == "mine.bin");
}

TEST_CASE("the log of a long run on a small table has a line every few epochs", "[small_table]") {
  WorkFolder work;
  std::ofstream(work.path() / "t.csv") << table_text(40, true);
  const auto ran
    = troupe_program(work.path(), "train --no-progress problem.name=csv problem.path=t.csv");
  INFO(ran.error);
  CHECK(ran.code == 0);
  CHECK_THAT(ran.error, Contains("instead of 20"));
  CHECK(std::count(ran.error.begin(), ran.error.end(), '\n') < 50);
  const auto config = contents(work.path() / "runs/latest/config.yaml");
  CHECK_THAT(config, Contains("epochs: 2000") && Contains("every_n_epochs: 100"));
}

TEST_CASE("a model that is clearly worse than a linear one is reported", "[small_table]") {
  WorkFolder work;
  std::ofstream(work.path() / "t.csv") << table_text(200, false);
  const auto train = "train --no-progress problem.name=csv problem.path=t.csv training.seed=1 ";
  const auto poor = troupe_program(work.path(), train + std::string{"training.epochs=1"});
  CHECK_THAT(poor.error, Contains("hint: a linear model") && Contains("test r2 1.0000"));
  const auto good = troupe_program(work.path(), train
                                                  + std::string{"model.name=linear "
                                                                "optimizer.learning_rate=0.01"});
  INFO(good.error);
  CHECK(good.code == 0);
  CHECK_THAT(good.error, !Contains("hint:"));
}
