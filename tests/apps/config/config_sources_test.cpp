// Sources of configurations; configurations of several runs are independent.
#include "apps/catalog/components.hpp"
#include "apps/config/tree.hpp"
#include "apps/run_config/read_run_config.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>

#include <utility>

using namespace troupe;

namespace {

RunConfig of_command_line(const std::vector<std::string>& arguments) {
  ConfigSources sources;
  add_command_line(sources, arguments);
  sources.environment.clear(); // of the process that runs the tests
  sources.overrides.emplace_back("training.seed=5");
  return read_run_config(sources);
}

} // namespace

TEST_CASE("choosing another optimizer over a configuration drops the former one's options",
          "[M1][M5]") {
  const test::DataFolder folder;
  const auto run
    = folder.write("run.yaml", "model: {name: mlp, hidden: [9]}\n"
                               "optimizer: {name: adam, learning_rate: 0.02, beta1: 0.8}\n");
  const auto other = folder.write("other.yaml", "optimizer: {name: sgd}\n");
  const std::vector<std::vector<std::string>> all_words{
    {run, "optimizer.name=sgd"}, {run, other}, {run, "optimizer={name: sgd}"}};
  for (const auto& words : all_words) {
    const auto config = of_command_line(words);
    CHECK(config::text_at(config.tree, {"optimizer", "learning_rate"}) == "0.02");
    CHECK(config::get(config.tree, {"optimizer", "beta1"}) == nullptr);
    REQUIRE(config.remarks.size() == 1);
    CHECK_THAT(config.remarks.front(),
               Catch::Contains("optimizer is sgd") && Catch::Contains("are dropped: beta1"));
  }
  CHECK(of_command_line({run, "model.name=lenet"}).remarks.size() == 1);
  CHECK(of_command_line({run}).remarks.empty());
}

TEST_CASE("an option that the named optimizer does not have is refused beside its name or over it",
          "[M5]") {
  const test::DataFolder folder;
  const auto sgd = folder.write("sgd.yaml", "optimizer: {name: sgd}\n");
  const auto beta = folder.write("beta.yaml", "optimizer: {beta1: 0.8}\n");
  const auto both = folder.write("both.yaml", "optimizer: {name: sgd, beta1: 0.8}\n");
  const std::vector<std::vector<std::string>> of_files{{both}, {sgd, beta}};
  for (const auto& words : of_files) { // making the optimizer refuses it
    const auto config = of_command_line(words);
    CHECK(config.remarks.empty());
    CHECK_THROWS_WITH(make_optimizer_factory(*config.tree.find("optimizer")),
                      Catch::Contains("'beta1'"));
  }
  CHECK_THROWS_WITH(of_command_line({sgd, "optimizer.beta1=0.8"}), Catch::Contains("'beta1'"));
}

TEST_CASE("overrides win over files in any order, and the later of two files or overrides wins",
          "[M1]") {
  const test::WorkFolder work;
  const auto one = (work.path() / "one.yaml").string(), two = (work.path() / "two.yaml").string();
  std::ofstream{one} << "training: {epochs: 1, batch_size: 1, threads: 1}\n";
  std::ofstream{two} << "training: {epochs: 2, batch_size: 2}\n";
  const std::string early = "training.epochs=3", late = "training.epochs=4";
  const auto expected = of_command_line({one, two, early, late}).tree;
  for (const auto& words : std::vector<std::vector<std::string>>{
         {early, late, one, two}, {early, one, late, two}, {one, early, two, late}}) {
    const auto config = of_command_line(words);
    CHECK(config.training.epochs == 4);
    CHECK(config.training.batch_size == 2);
    CHECK(config.tree == expected);
  }
  CHECK(of_command_line({two, one, late, early}).training.epochs == 3);
  CHECK(of_command_line({two, one}).training.batch_size == 1);
}

TEST_CASE("a section reads only its own option, if another has one of that name", "[M2]") {
  const auto of_testing = of_command_line({"testing.batch_size=7"});
  CHECK(of_testing.testing.batch_size == 7);
  CHECK(of_testing.training.batch_size == TrainingOptions{}.batch_size);
  const auto of_training = of_command_line({"training.batch_size=7"});
  CHECK(of_training.training.batch_size == 7);
  CHECK(of_training.testing.batch_size == TestingOptions{}.batch_size);
}

TEST_CASE("values that a run decides for a section are in its whole configuration", "[M2][M10]") {
  const auto config = read_run_config({});
  CHECK(config.training.seed >= 0);
  CHECK(config::text_at(config.tree, {"training", "seed"}) == std::to_string(config.training.seed));
}

TEST_CASE("two runs in one process have configurations of their own", "[M2]") {
  const auto before = of_command_line({});
  const auto other = of_command_line({"training.epochs=3", "~extensions.timing"});
  const auto after = of_command_line({});
  CHECK(other.training.epochs == 3);
  CHECK(after.tree == before.tree);
  CHECK(after.training.epochs == TrainingOptions{}.epochs);
  CHECK(after.extensions.size() == before.extensions.size());
}

TEST_CASE("an override without its value is not taken for a file", "[M1]") {
  CHECK_THROWS_WITH(of_command_line({"training.epochs"}),
                    Catch::EndsWith("to change a value, say to what: training.epochs=..."));
  CHECK_THROWS_WITH(of_command_line({"missing.yaml"}), Catch::Contains("cannot be read"));
}

TEST_CASE("an override that a shell has split at its spaces is reported as a whole", "[M1]") {
  const auto told = [](const std::vector<std::string>& words, const std::string& sentence) {
    CHECK_THROWS_WITH(of_command_line(words), Catch::EndsWith(sentence));
  };
  told({"model.hidden=[64,", "32]"}, "put it into quotes: 'model.hidden=[64, 32]'");
  told({"extensions.load={path:", "w.npz}", "training.epochs=3"},
       "put it into quotes: 'extensions.load={path: w.npz}'");
  told({"run.tag=my", "run"}, "put both into quotes: 'run.tag=my run'");
  told({"training.epochs", "=", "3"}, "a change is one argument: training.epochs=3");
  told({"training.epochs", "3"}, "a change is one argument: training.epochs=3");
  told({"training.epochs=", "3"}, "a change has no space after its =: training.epochs=3");
  told({"model.hidden", "=", "[64,", "32]"}, "a change is one argument: 'model.hidden=[64, 32]'");
  told({"model.hidden=", "[64,", "32]"}, "no space after its =: 'model.hidden=[64, 32]'");
}

TEST_CASE("a key outside its section is reported with its section", "[M4]") {
  const test::DataFolder folder;
  CHECK_THROWS_WITH(of_command_line({folder.write("run.yaml", "training:\nepochs: 3\n")}),
                    Catch::Contains("did you mean 'training.epochs'?"));
  CHECK_THROWS_WITH(of_command_line({folder.write("run.yaml", "training.epochs: 3\n")}),
                    Catch::EndsWith("a key is in its section, like training: {epochs: ...}"));
}
