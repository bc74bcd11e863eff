#include "tests/support/program.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <map>

using namespace troupe::test;
using Catch::Contains;

namespace {

/// A table of three kinds of animals, distinguished by two columns. @param order of the columns
std::string animals_table(int rows, double shift = 0, const std::string& first_class = "ant",
                          const std::string& order = "x,y,kind") {
  std::string text = order + "\n";
  for (int i = 0; i < rows; ++i) {
    const auto kind = i % 3;
    const std::map<std::string, std::string> cells{
      {"x", std::to_string(kind * 4 + i * 37 % 11 * 0.1 + shift)},
      {"y", std::to_string((kind == 1 ? 5 : 0) + i * 53 % 13 * 0.1 + shift)},
      {"kind", kind == 0   ? first_class
               : kind == 1 ? "bee"
                           : "cat"}};
    std::istringstream names{order};
    std::string row;
    for (std::string name; std::getline(names, name, ',');)
      row += (row.empty() ? "" : ",") + cells.at(name);
    text += row + "\n";
  }
  return text;
}

/// A run that classifies the animals of animals.csv.
struct AnimalRun {
  AnimalRun() {
    write("animals.csv", animals_table(150));
    const auto trained
      = ran("train -q --json training.epochs=15 training.seed=1 problem.name=csv "
            "problem.path=animals.csv model.hidden='[8]' optimizer.learning_rate=0.02");
    INFO(trained.error);
    REQUIRE(trained.code == 0);
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(work.path() / name) << text;
  }
  Ran ran(const std::string& arguments) const { return troupe_program(work.path(), arguments); }
  /// The accuracy on all of a file's test rows.
  double accuracy(const std::string& file) const {
    const auto tested = ran("test --json latest problem.test_fraction=0.8 problem.path=" + file);
    INFO(tested.error);
    REQUIRE(tested.code == 0);
    return nlohmann::json::parse(tested.out)["test"]["accuracy"];
  }
  WorkFolder work;
};

} // namespace

TEST_CASE("a run reports how it read its data", "[fit][M53]") {
  const AnimalRun run;
  const auto fit = nlohmann::json::parse(contents(run.work.path() / "runs/latest/problem.json"));
  CHECK(fit["target"]["classes"] == nlohmann::json{"ant", "bee", "cat"});
  CHECK(fit["features"][1]["column"] == "y");
  CHECK(fit["features"][1].contains("mean"));
  const auto init = run.ran("init problem.name=csv problem.path=animals.csv");
  CHECK_THAT(init.out, Contains("2 columns of numbers: x, y")
                         && Contains("to predict: kind, one of 3 classes: ant, bee, cat"));
  const auto train = run.ran("train --no-progress training.epochs=1 problem.name=csv "
                             "problem.path=animals.csv");
  CHECK_THAT(train.error, Contains("2 columns of numbers: x, y"));
}

TEST_CASE("a test on another file reads it as the run read its own", "[fit][M42]") {
  const AnimalRun run;
  run.write("same.csv", animals_table(100));
  run.write("turned.csv", animals_table(100, 0, "ant", "kind,y,x"));
  run.write("shifted.csv", animals_table(100, 40));
  run.write("zebra.csv", animals_table(100, 0, "zebra"));
  run.write("renamed.csv", animals_table(100).replace(0, 1, "z"));
  const auto usual = run.accuracy("same.csv");
  CHECK(usual > 0.9);
  CHECK(run.accuracy("turned.csv") == usual);
  CHECK(run.accuracy("shifted.csv") < 0.7); // the model does not know such animals
  const auto zebra = run.ran("test latest problem.path=zebra.csv");
  CHECK(zebra.code == 65);
  CHECK_THAT(zebra.error, Contains("found \"zebra\"") && Contains("ant, bee, cat"));
  const auto renamed = run.ran("test latest problem.path=renamed.csv");
  CHECK(renamed.code == 65);
  CHECK_THAT(renamed.error, Contains("no column \"x\""));
}

TEST_CASE("a run without problem.json, from an older version, can be tested", "[fit][M42]") {
  const AnimalRun run;
  run.write("shifted.csv", animals_table(100, 40));
  std::filesystem::remove(run.work.path() / "runs/latest/problem.json");
  CHECK(run.accuracy("shifted.csv") > 0.9);
}

TEST_CASE("a run does not resume with other data under the same path", "[fit][train]") {
  const AnimalRun run;
  CHECK(run.ran("train -q --resume latest training.epochs=16").code == 0);
  run.write("animals.csv", animals_table(150, 3));
  const auto resumed = run.ran("train -q --resume latest training.epochs=17");
  CHECK(resumed.code == 65);
  CHECK_THAT(resumed.error, Contains("differ from those that the run") && Contains("--model"));
  CHECK_THAT(run.ran("test latest").error, Contains("warning: the data") && Contains("trained on"));
  run.write("others.csv", animals_table(150, 1));
  CHECK(run.ran("train -q --resume latest training.epochs=17 problem.path=others.csv").code == 0);
  CHECK(run.ran("train -q --resume latest training.epochs=18").code == 0);
}

TEST_CASE("a run does not resume with other options for its columns", "[fit][train]") {
  const AnimalRun run;
  const auto resumed = run.ran("train -q --resume latest training.epochs=16 problem.label=x");
  CHECK(resumed.code == 78);
  CHECK_THAT(resumed.error, Contains("problem.label is x, but the run started with"));
  CHECK(run.ran("test latest problem.standardize=false").code == 78);
  CHECK(run.ran("train -q --resume latest training.epochs=16 problem.path=./animals.csv").code
        == 0);
}

TEST_CASE("exports of a run's model do not need its table", "[fit][export]") {
  const AnimalRun run;
  const auto exported = [&run](const std::string& name) {
    const auto ran = run.ran("export latest -o " + name);
    CAPTURE(ran.error);
    CHECK(ran.code == 0);
    return contents(run.work.path() / name);
  };
  const auto before = exported("before.onnx");
  std::filesystem::remove(run.work.path() / "animals.csv");
  CHECK(exported("after.onnx") == before);
}

TEST_CASE("a run that starts with a model reads its data as that model's run did", "[fit][train]") {
  const AnimalRun run;
  run.write("shifted.csv", animals_table(100, 40));
  const auto first = contents(run.work.path() / "runs/latest/problem.json");
  const auto second = run.ran("train -q --model latest training.epochs=1 problem.name=csv "
                              "problem.path=shifted.csv model.hidden='[8]'");
  INFO(second.error);
  REQUIRE(second.code == 0);
  const auto before = nlohmann::json::parse(first),
             now = nlohmann::json::parse(contents(run.work.path() / "runs/latest/problem.json"));
  CHECK(now["features"] == before["features"]);
  CHECK(now["data"] != before["data"]);
}

TEST_CASE("exported files list the classes in order", "[fit][export]") {
  const AnimalRun run;
  const std::map<std::string, std::string> classes{
    {"model.safetensors", R"("classes":"[\"ant\",\"bee\",\"cat\"]")"},
    {"model.onnx", R"(["ant","bee","cat"])"}};
  for (const auto& [name, text] : classes) {
    const auto exported = run.ran("export latest -o " + name);
    INFO(exported.error);
    REQUIRE(exported.code == 0);
    CHECK_THAT(contents(run.work.path() / name), Contains(text));
  }
}
