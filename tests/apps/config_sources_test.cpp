// Where configurations come from, and that one run's is not another's.
#include "troupe/apps/config/tree.hpp"
#include "troupe/apps/run_config.hpp"
#include "troupe/tests/support/program.hpp"

#include <catch2/catch.hpp>

#include <utility>

using namespace troupe;

namespace {

RunConfig of_command_line(const std::vector<std::string>& words) {
  ConfigSources sources;
  add_command_line(sources, words);
  sources.environment.clear(); // of whoever runs the tests
  sources.overrides.emplace_back("training.seed=5");
  return read_run_config(sources);
}

} // namespace

TEST_CASE("words are over files wherever they stand, and the later of two files or words wins",
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

TEST_CASE("a section sees its own option alone where another has one of that name", "[M2]") {
  const auto of_testing = of_command_line({"testing.batch_size=7"});
  CHECK(of_testing.testing.batch_size == 7);
  CHECK(of_testing.training.batch_size == TrainingOptions{}.batch_size);
  const auto of_training = of_command_line({"training.batch_size=7"});
  CHECK(of_training.training.batch_size == 7);
  CHECK(of_training.testing.batch_size == TestingOptions{}.batch_size);
}

TEST_CASE("what a run settles for one of its sections is in its whole configuration", "[M2][M10]") {
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

TEST_CASE("a change whose value is missing is not taken for a file", "[M1]") {
  CHECK_THROWS_WITH(of_command_line({"training.epochs"}),
                    Catch::EndsWith("to change a value, say to what: training.epochs=..."));
  CHECK_THROWS_WITH(of_command_line({"missing.yaml"}), Catch::Contains("cannot be read"));
}
