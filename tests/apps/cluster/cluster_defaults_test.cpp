#include "apps/config/print.hpp"
#include "apps/run_config/read_run_config.hpp"
#include "apps/session/result_text.hpp"
#include "apps/session/run_problem.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

namespace {

const ConfiguredExtension* find(const RunConfig& config, const std::string& name) {
  for (const auto& extension : config.extensions)
    if (extension.name == name)
      return &extension;
  return nullptr;
}

bool has_trigger(const ConfiguredExtension& extension, const std::string& trigger) {
  for (const auto& condition : extension.conditions.all())
    if (condition.trigger == trigger)
      return true;
  return false;
}

ConfigSources in_cluster(std::vector<std::string> overrides = {}) {
  ConfigSources sources;
  sources.overrides = std::move(overrides);
  sources.in_cluster = true;
  return sources;
}

} // namespace

TEST_CASE("a session of a cluster saves, summarises and prints its speed by default", "[T13]") {
  const auto config = read_run_config(in_cluster());
  REQUIRE(find(config, "checkpoint"));
  CHECK(has_trigger(*find(config, "checkpoint"), "every_n_seconds"));
  REQUIRE(find(config, "summary"));
  CHECK(find(config, "summary")->type == "training_monitoring");
  CHECK(has_trigger(*find(config, "summary"), "every_n_batches"));
  REQUIRE(find(config, "speed"));
  CHECK(find(config, "speed")->type == "timing");
  CHECK(config.cluster.grace == 120);
}

TEST_CASE("each worker of a cluster saves a state to resume from after a kill", "[T13][T14]") {
  CHECK(find(read_run_config(in_cluster()), "checkpoint")->participation.workers == "all");
  const auto given = read_run_config(in_cluster({"extensions.checkpoint.every_n_batches=500"}));
  CHECK(find(given, "checkpoint")->participation.workers == "all");
  CHECK(find(read_run_config({}), "checkpoint")->participation.workers == "main");
}

TEST_CASE("the printed configuration has the session's defaults", "[T13]") {
  const auto text = config::to_yaml(read_run_config(in_cluster()).tree);
  for (const auto* line : {"every_n_seconds: 600", "every_n_batches: 100", "grace: 120"})
    CHECK_THAT(text, Catch::Contains(line));
}

TEST_CASE("each default of a session can be removed", "[T13]") {
  const auto config = read_run_config(in_cluster(
    {"extensions.summary=false", "extensions.speed=false",
     "extensions.checkpoint.every_n_seconds=false", "extensions.checkpoint.after_epoch=false"}));
  CHECK_FALSE(find(config, "summary"));
  CHECK_FALSE(find(config, "speed"));
  CHECK_FALSE(has_trigger(*find(config, "checkpoint"), "every_n_seconds"));
}

TEST_CASE("a session's configuration read again has its extensions in the same order",
          "[M7][T13]") {
  const auto first = read_run_config(in_cluster({"training.seed=5"}));
  auto again = in_cluster();
  again.settings = first.tree;
  CHECK(read_run_config(again).tree == first.tree);
  const auto given
    = read_run_config(in_cluster({"extensions.shared_params_rate_limited.limit.maximum_rate=0.5"}));
  CHECK(given.extensions.front().name == first.extensions.front().name);
}

TEST_CASE("an elasticity too large for the workers is refused with the largest valid one",
          "[B53]") {
  const auto sources
    = [](WorkerId of_cluster, const std::string& workers, const std::string& elasticity) {
        auto all = in_cluster(
          {"training.workers=" + workers,
           "extensions.shared_params_auto_sync={rule: easgd, elasticity: " + elasticity + "}"});
        all.in_cluster = of_cluster > 0;
        all.workers = of_cluster;
        return all;
      };
  CHECK_THROWS_WITH(read_run_config(sources(0, "3", "0.34")),
                    Catch::Contains("elasticity of 0.34, times 3 workers")
                      && Catch::Contains("give at most 0.3333"));
  CHECK_THROWS_WITH(read_run_config(sources(4, "1", "0.5")),
                    Catch::Contains("times 4 workers") && Catch::Contains("at most 0.25"));
  CHECK_NOTHROW(read_run_config(sources(0, "3", "0.3333")));
  CHECK_NOTHROW(read_run_config(sources(0, "5", "0.2"))); // 0.2 in floats is a little more
  CHECK_NOTHROW(read_run_config(sources(0, "1", "1")));
  auto limited = sources(0, "2", "0.1");
  limited.overrides.back()
    = "extensions.shared_params_rate_limited={sync: {rule: easgd, elasticity: 0.6}}";
  CHECK_THROWS_WITH(read_run_config(limited),
                    Catch::Contains("shared_params_rate_limited has an elasticity of 0.6"));
  limited.overrides.back() = "extensions.shared_params_rate_limited={sync: {elasticity: 0.6}}";
  CHECK_NOTHROW(read_run_config(limited)); // another rule does not use it
}

TEST_CASE("two extensions that share the workers' parameters are refused with their names",
          "[B53]") {
  auto words = in_cluster({"extensions.shared_params_auto_sync={every_n_batches: 1}",
                           "extensions.shared_params_rate_limited={}"});
  CHECK_THROWS_WITH(read_run_config(words),
                    Catch::Contains("extensions.shared_params_auto_sync")
                      && Catch::Contains("extensions.shared_params_rate_limited")
                      && Catch::Contains("keep one"));
  words.overrides.back() = "extensions.shared_params_rate_limited=false";
  CHECK_NOTHROW(read_run_config(words));
}

TEST_CASE("a run without a cluster has no default summaries", "[T13]") {
  CHECK_FALSE(find(read_run_config({}), "summary"));
}

TEST_CASE("a process of a cluster is named by its number, not as the only worker", "[T13]") {
  const auto config = read_run_config(in_cluster({"problem.train=100"}));
  const auto problem = problem_of(config);
  const auto model = model_of(config, *problem);
  CHECK_THAT(headline(config, *problem, *model, {1, 3}), Catch::Contains("; worker 1 of 3; seed"));
  CHECK_THAT(headline(config, *problem, *model), Catch::Contains("; 1 worker; seed"));
}
