// What launch, node and simulate print in place of training.
#include "apps/config/tree.hpp"
#include "apps/config/yaml.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

/// The configuration that a command prints without a launcher's environment.
config::Node printed(const WorkFolder& work, const std::string& arguments) {
  const auto ran = shell(
    work.path(), "env -u TF_CONFIG -u JOB_NAME -u RANK -u WORLD_SIZE \"$troupe\" " + arguments);
  INFO(arguments << "\n" << ran.error);
  REQUIRE(ran.code == 0);
  auto tree = config::read_yaml(ran.out, "printed");
  tree.erase("control"); // a run does not save it
  return tree;
}

bool has_nothing_made(const WorkFolder& work) {
  for (const auto& entry : std::filesystem::directory_iterator(work.path()))
    if (!entry.path().filename().string().starts_with("."))
      return false;
  return true;
}

const std::string of_worker = "node --role worker --workers 3 --ps 127.0.0.1:1 --index 1 ";

} // namespace

TEST_CASE("launch prints the configuration that each of its workers trains", "[L22][M7][slow]") {
  WorkFolder work;
  const auto options
    = "launch -n 2 --insecure training.epochs=1 training.workers=3 " + small_digits;
  const auto tree = printed(work, options + "--print-config");
  CHECK(has_nothing_made(work));
  CHECK(config::text_at(tree, {"training", "workers"}) == "1");
  REQUIRE(troupe_program(work.path(), options + "--folder own").code == 0);
  for (const auto* worker : {"own/worker-0", "own/worker-1"})
    CHECK(tree == config::read_yaml_file(work.path() / worker / "config.yaml"));
}

TEST_CASE("a resumed launched run prints its own configuration with the overrides",
          "[L22][M7][slow]") {
  WorkFolder work;
  REQUIRE(troupe_program(work.path(), "launch -n 1 --insecure --folder own training.epochs=1 "
                                      "optimizer.learning_rate=0.002 "
                                        + small_digits)
            .code
          == 0);
  const auto tree = printed(work, "launch --folder own training.epochs=5 --print-config");
  CHECK(config::text_at(tree, {"training", "epochs"}) == "5");
  CHECK(config::text_at(tree, {"optimizer", "learning_rate"}) == "0.002");
  const auto wrong = troupe_program(work.path(), "launch -n 3 --folder own --print-config");
  CHECK(wrong.code == 2);
  CHECK(wrong.out.empty());
}

TEST_CASE("a launcher's command line takes precedence over its workers' environment",
          "[B48][L22][slow]") {
  WorkFolder work;
  const auto ran
    = shell(work.path(), "TROUPE__TRAINING__EPOCHS=2 \"$troupe\" launch -n 1 --insecure --json "
                         "training.epochs=1 "
                           + small_digits);
  INFO(ran.error);
  REQUIRE(ran.code == 0);
  CHECK(nlohmann::json::parse(ran.out)["epochs"] == 1);
}

TEST_CASE("a node of any role prints the configuration of its cluster's workers", "[L22][M7]") {
  WorkFolder work;
  const auto tree = printed(work, of_worker + "--print-config " + small_digits);
  CHECK(config::text_at(tree, {"training", "workers"}) == "1");
  CHECK(config::get(tree, {"extensions", "shared_params_rate_limited"}) != nullptr);
  for (const std::string other :
       {"node --role evaluator --workers 3 --ps 127.0.0.1:1 ", "node --role ps --ps 127.0.0.1:0 "})
    CHECK(printed(work, other + "--print-config " + small_digits) == tree);
  CHECK(has_nothing_made(work));
}

TEST_CASE("a node without a cluster prints the configuration of `troupe train`", "[M7][T7]") {
  WorkFolder work;
  CHECK(printed(work, "node --print-config " + small_digits)
        == printed(work, "train --print-config " + small_digits));
  CHECK(has_nothing_made(work));
}

TEST_CASE("simulate prints the same configuration as launch with as many workers", "[M7][R10]") {
  WorkFolder work;
  const auto words = "--print-config training.epochs=2 training.seed=3 " + small_digits;
  CHECK(printed(work, "simulate -n 3 " + words) == printed(work, "launch -n 3 " + words));
  CHECK(has_nothing_made(work));
}

TEST_CASE(
  "launch, node and simulate print the sources of values and refuse an invalid configuration",
  "[M6][M7]") {
  WorkFolder work;
  for (const auto& command : {std::string{"launch -n 2 "}, std::string{"simulate "}, of_worker}) {
    const auto ran = troupe_program(work.path(), command + "--sources training.epochs=7");
    INFO(command << ran.error);
    CHECK(ran.code == 0);
    CHECK_THAT(ran.out, Contains("# command line: training.epochs=7") && Contains("# default"));
    const auto wrong = troupe_program(work.path(), command + "--print-config training.epoch=7");
    CHECK(wrong.code == 78);
    CHECK(wrong.out.empty());
    CHECK_THAT(wrong.error, Contains("did you mean 'epochs'"));
  }
  CHECK(has_nothing_made(work));
}
