#include "apps/run_config/explain.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using Catch::Contains;

namespace {

/// Sources that set training.epochs in a file, the environment and on the command line.
ConfigSources three_layers(const test::WorkFolder& work) {
  const auto file = work.path() / "run.yaml";
  std::ofstream{file} << "training:\n  epochs: 10\nmodel: {hidden: [8, 4]}\n";
  ConfigSources sources;
  sources.files = {file};
  sources.environment = {"TROUPE__TRAINING__EPOCHS=7"};
  sources.overrides = {"training.epochs=5"};
  return sources;
}

} // namespace

TEST_CASE("the option --explain prints a value's source and the values that it overrides", "[M1]") {
  test::WorkFolder work;
  const auto text = explain(three_layers(work), "training.epochs");
  std::vector<std::string> lines;
  std::istringstream stream{text};
  for (std::string line; std::getline(stream, line);)
    lines.push_back(line);
  REQUIRE(lines.size() == 4);
  CHECK_THAT(lines[0], Contains("training.epochs: 5 ") && Contains("command line"));
  CHECK_THAT(lines[1], Contains("  7 ") && Contains("TROUPE__TRAINING__EPOCHS"));
  CHECK_THAT(lines[2], Contains("  10 ") && Contains("run.yaml:2:3"));
  CHECK_THAT(lines[3], Contains("  20 ") && Contains("default"));
}

TEST_CASE(
  "the option --explain of a section covers all its values, and a unique leaf needs no path",
  "[M1][M2]") {
  test::WorkFolder work;
  const auto sources = three_layers(work);
  CHECK(explain(sources, "epochs") == explain(sources, "training.epochs"));
  CHECK_THAT(explain(sources, "model"), Contains("model.hidden: [8, 4]") && Contains("[256]")
                                          && Contains("model.activation: relu"));
}

TEST_CASE("an unknown key is refused with the nearest one", "[M1][M3]") {
  CHECK_THROWS_WITH(explain({}, "training.epoch"), Contains("epochs") && !Contains("delete"));
  CHECK_THROWS_WITH(explain({}, "epoch"), Contains("epochs"));
  CHECK_THROWS_WITH(explain({}, "name"), Contains("model.name") && Contains("problem.name"));
}

TEST_CASE("the option --explain does not train", "[M1][M8]") {
  test::WorkFolder work;
  const auto ran = test::troupe_program(work.path(), "train training.epochs=3 --explain epochs");
  CHECK(ran.code == 0);
  CHECK_THAT(ran.out, Contains("training.epochs: 3"));
  CHECK_FALSE(std::filesystem::exists(work.path() / "runs"));
}
