#include "troupe/apps/config/print.hpp"
#include "troupe/apps/run_config.hpp"

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

TEST_CASE("a session of a cluster saves, summarises and tells its speed by default", "[T13]") {
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

TEST_CASE("the defaults of a session are seen in the configuration that is printed", "[T13]") {
  const auto text = config::to_yaml(read_run_config(in_cluster()).tree);
  for (const auto* line : {"every_n_seconds: 600", "every_n_batches: 100", "grace: 120"})
    CHECK_THAT(text, Catch::Contains(line));
}

TEST_CASE("each default of a session can be taken away", "[T13]") {
  const auto config = read_run_config(in_cluster(
    {"extensions.summary=false", "extensions.speed=false",
     "extensions.checkpoint.every_n_seconds=false", "extensions.checkpoint.after_epoch=false"}));
  CHECK_FALSE(find(config, "summary"));
  CHECK_FALSE(find(config, "speed"));
  CHECK_FALSE(has_trigger(*find(config, "checkpoint"), "every_n_seconds"));
}

TEST_CASE("a run that trains alone has no summaries of its own", "[T13]") {
  CHECK_FALSE(find(read_run_config({}), "summary"));
}
