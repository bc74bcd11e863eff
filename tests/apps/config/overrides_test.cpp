#include "apps/config/overrides.hpp"
#include "apps/config/source_layers.hpp"
#include "apps/config/yaml.hpp"

#include <catch2/catch.hpp>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <random>

using namespace troupe;
using namespace troupe::config;

namespace {

Node base() {
  return read_yaml("training: {epochs: 10, batch_size: 64, hidden: [64, 32]}\nmodel: {name: mlp}",
                   "run.yaml");
}

/// The tree after the overrides, which all must succeed.
Node after(const std::vector<std::string>& words) {
  auto tree = base();
  const auto errors = apply_overrides(tree, words);
  CAPTURE(errors);
  REQUIRE(errors.empty());
  return tree;
}

/// The single sentence about a failing override; the tree stays as it was.
std::string complaint_about(const std::string& word) {
  auto tree = base();
  const auto errors = apply_overrides(tree, {word});
  CAPTURE(word);
  REQUIRE(errors.size() == 1);
  CHECK(tree == base());
  return errors.front();
}

} // namespace

TEST_CASE("a.b=c sets a known key and remembers the argument", "[overrides][M8]") {
  const auto tree = after({"training.epochs=3"});
  const auto* epochs = get(tree, {"training", "epochs"});
  CHECK(epochs->text() == "3");
  CHECK(epochs->source() == "command line: training.epochs=3");
}

TEST_CASE("values of overrides are YAML as inside brackets", "[overrides][M8]") {
  CHECK(get(after({"training.hidden=[1, 2, 3]"}), {"training", "hidden"})->items().size() == 3);
  CHECK(get(after({"training={epochs: 5}"}), {"training", "epochs"})->text() == "5");
  CHECK(get(after({"training={epochs: 5}"}), {"training", "batch_size"})->text() == "64");
  CHECK(get(after({"model.name='a, b'"}), {"model", "name"})->text() == "a, b");
  CHECK(get(after({"model.name=a=b"}), {"model", "name"})->text() == "a=b");
  CHECK(get(after({"model.name="}), {"model", "name"})->text().empty());
  CHECK(get(after({"model.name=NO"}), {"model", "name"})->text() == "NO");
  CHECK(get(after({"model.name=null"}), {"model", "name"})->is_null());
  CHECK(get(after({"model.name=tcp://host:4242"}), {"model", "name"})->text() == "tcp://host:4242");
}

TEST_CASE("the later override wins", "[overrides][M1]") {
  CHECK(get(after({"training.epochs=3", "training.epochs=4"}), {"training", "epochs"})->text()
        == "4");
}

TEST_CASE("an unknown key is an error with the nearest known key", "[overrides][M4][B48]") {
  CHECK(complaint_about("training.epoch=3")
        == "unknown key 'epoch' in training (command line: training.epoch=3); did you mean "
           "'epochs'? known keys: epochs, batch_size, hidden");
  CHECK_THAT(complaint_about("epochs=3"), Catch::Contains("did you mean 'training.epochs'?"));
  CHECK_THAT(complaint_about("training.epochs.x=3"), Catch::Contains("training.epochs is '10'"));
}

TEST_CASE("+a.b=c adds a new key, and only a new one", "[overrides][M8]") {
  CHECK(get(after({"+model.depth=3"}), {"model", "depth"})->text() == "3");
  CHECK(get(after({"+a\\.b.c=3"}), {"a.b", "c"})->text() == "3");
  CHECK_THAT(complaint_about("+model.name=cnn"),
             Catch::Contains("exists already, as 'mlp' (run.yaml:2:9)"));
}

TEST_CASE("++a.b=c sets a key whether it exists or not", "[overrides][M8]") {
  CHECK(get(after({"++model.depth=3"}), {"model", "depth"})->text() == "3");
  CHECK(get(after({"++model.name=cnn"}), {"model", "name"})->text() == "cnn");
  CHECK(get(after({"++model=3"}), {"model"})->text() == "3");
}

TEST_CASE("a tilde deletes a key; with a value, only if it has that value", "[overrides][M3][M8]") {
  CHECK(get(after({"~model.name"}), {"model", "name"}) == nullptr);
  CHECK(get(after({"~model"}), {"model"}) == nullptr);
  CHECK(get(after({"~model.name=mlp"}), {"model", "name"}) == nullptr);
  CHECK_THAT(complaint_about("~model.name=cnn"), Catch::Contains("it is 'mlp'"));
  CHECK_THAT(complaint_about("~model.nam"), Catch::Contains("did you mean 'name'?"));
}

TEST_CASE("a map never meets a single value", "[overrides][M1]") {
  CHECK_THAT(complaint_about("training=3"), Catch::Contains("run.yaml:1:1"));
  CHECK_THAT(complaint_about("model.name={a: 1}"),
             Catch::Contains("command line: model.name={a: 1}"));
}

TEST_CASE("an argument that is not an override is a usage error", "[overrides][M8]") {
  for (auto word : {"", "training.epochs", "=3", "+=3", "~", "a..b=1", ".=2"}) {
    CAPTURE(word);
    CHECK_THROWS_AS(parse_override(word), UsageError);
  }
}

TEST_CASE("a value that is not one value is refused with the cure", "[overrides][M8]") {
  CHECK_THAT(complaint_about("model.name=a, b"), Catch::Contains("write [a, b] for a list"));
  for (auto word :
       {"model.name=[1, 2", "model.name={", "model.name=]", "model.name='", "model.name=1], [2",
        "model.name=#x", "model.name=a #", "model.name=!x y", "model.name=*a", "model.name=\"\\q\"",
        "model.name=]\n---\n[", "model.name= ,", "model.name=%"}) {
    CAPTURE(word);
    CHECK_THAT(complaint_about(word), Catch::StartsWith("the value '"));
  }
}

TEST_CASE("a column separator is a value as it is", "[overrides]") {
  for (const std::string separator : {",", "|", ";"})
    CHECK(get(after({"model.name=" + separator}), {"model", "name"})->text() == separator);
}

TEST_CASE("all overrides that fail are reported, and the others applied", "[overrides]") {
  auto tree = base();
  CHECK(apply_overrides(tree, {"x=1", "training.epochs=3", "y"}).size() == 2);
  CHECK(get(tree, {"training", "epochs"})->text() == "3");
}

TEST_CASE("a variable of the environment sets a known key", "[overrides][B48]") {
  auto tree = base();
  CHECK(apply_environment(tree, {"TROUPE__TRAINING__BATCH_SIZE=32", "TROUPE__TRAINING__HIDDEN=[8]",
                                 "HOME=/root", "TROUPE_LOG=x"})
          .empty());
  const auto* size = get(tree, {"training", "batch_size"});
  CHECK(size->text() == "32");
  CHECK(size->source() == "environment TROUPE__TRAINING__BATCH_SIZE");
  CHECK(get(tree, {"training", "hidden"})->items().size() == 1);
}

TEST_CASE("a variable finds its key regardless of case", "[overrides][B48]") {
  auto tree = read_yaml("Adam: {Beta1: 0.9}", "run.yaml");
  CHECK(apply_environment(tree, {"TROUPE__ADAM__BETA1=0.8"}).empty());
  CHECK(get(tree, {"Adam", "Beta1"})->text() == "0.8");
}

TEST_CASE("a variable for an unknown key is an error with the nearest", "[overrides][B48][M4]") {
  auto tree = base();
  const auto errors = apply_environment(
    tree, {"TROUPE__TRAINING__EPOCH=3", "TROUPE__=1", "TROUPE____X=1", "TROUPE__MODEL__NAME=[1"});
  REQUIRE(errors.size() == 4);
  CHECK_THAT(errors[0], Catch::StartsWith("unknown key 'epoch' in training (environment "
                                          "TROUPE__TRAINING__EPOCH); did you mean 'epochs'?"));
  CHECK(tree == base());
}

TEST_CASE("in an open section keys need not exist, and sources are as written",
          "[overrides][B48][M8]") {
  auto tree = base();
  const OpenSection open = Path{"model"};
  CHECK(apply_environment(tree, {"TROUPE__MODEL__NEW=1"}, open).empty());
  CHECK(apply_overrides(tree, {"model.other=2", "+model.other=3"}, open).empty());
  CHECK(get(tree, {"model", "new"})->text() == "1");
  CHECK(get(tree, {"model", "other"})->source() == "command line: +model.other=3");
  CHECK(apply_environment(tree, {"TROUPE__TRAINING__NEW=1"}, open).size() == 1);
  CHECK(apply_overrides(tree, {"training.new=2", "~model.none"}, open).size() == 2);
}

TEST_CASE("this process' variables are found by their prefix", "[overrides][B48]") {
  setenv("TROUPE__TEST__OVERRIDES", "1=2", 1);
  const auto found = environment();
  unsetenv("TROUPE__TEST__OVERRIDES");
  CHECK(std::find(found.begin(), found.end(), "TROUPE__TEST__OVERRIDES=1=2") != found.end());
}

TEST_CASE("a variable with one underscore for two is reported with the right name",
          "[overrides][B48]") {
  const auto remarks = remarks_on_misnamed(
    base(), {"TROUPE_EPOCHS", "TROUPE_TRAINING_BATCH_SIZE", "TROUPE_TOKEN", "TROUPE_"});
  REQUIRE(remarks.size() == 2);
  CHECK(remarks[0]
        == "warning: TROUPE_EPOCHS has no effect; to set training.epochs, name it "
           "TROUPE__TRAINING__EPOCHS");
  CHECK_THAT(remarks[1], Catch::Contains("TROUPE__TRAINING__BATCH_SIZE"));
  setenv("TROUPE_TEST_OVERRIDES", "1", 1);
  const auto found = misnamed_variables();
  unsetenv("TROUPE_TEST_OVERRIDES");
  CHECK(std::find(found.begin(), found.end(), "TROUPE_TEST_OVERRIDES") != found.end());
}

TEST_CASE("of default, file, environment and command line the later wins", "[overrides][B48][M8]") {
  const auto path = std::filesystem::temp_directory_path()
                    / ("troupe_layers_" + std::to_string(getpid()) + ".yaml");
  std::ofstream{path} << "a: {b: file}\n";
  // Every subset of the three layers over the default.
  for (int set = 0; set < 8; ++set) {
    SourceLayers layers{.defaults = read_yaml("a: {b: none, c: kept}", "code")};
    std::string expected = "none";
    if (set & 1)
      layers.files = {path}, expected = "file";
    if (set & 2)
      layers.environment = {"TROUPE__A__B=environment"}, expected = "environment";
    if (set & 4)
      layers.overrides = {"a.b=line"}, expected = "line";
    const auto tree = merge_layers(layers);
    CHECK(get(tree, {"a", "b"})->text() == expected);
    CHECK(get(tree, {"a", "c"})->text() == "kept");
  }
  std::filesystem::remove(path);
}

TEST_CASE("defects of all layers are reported together", "[overrides][B48][M6]") {
  try {
    merge_layers({.defaults = base(),
                  .files = {"/nowhere/run.yaml"},
                  .environment = {"TROUPE__X=1"},
                  .overrides = {"y=2"}});
    FAIL("nothing was thrown");
  } catch (const ConfigError& error) {
    CHECK(error.sentences().size() == 3);
    CHECK(error.code() == ExitCode::configuration);
  }
}

TEST_CASE("any bytes are an override or a sentence", "[overrides]") {
  std::mt19937 random{3};
  const std::string_view letters = "ab.=+~\\[]{}:, '\"&*!|>%@#\n-?0\xc3\xa9\xff";
  for (int i = 0; i < 20'000; ++i) {
    std::string word;
    for (auto n = random() % 14; n > 0; --n)
      word += letters[random() % letters.size()];
    auto tree = read_yaml("a: {b: 1}", "run.yaml");
    for (const auto& sentence : apply_overrides(tree, {word}))
      REQUIRE_FALSE(sentence.empty());
  }
}
