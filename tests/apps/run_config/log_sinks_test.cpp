#include "apps/run_config/read_run_config.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

namespace {

std::vector<std::string> sinks_with(const std::vector<std::string>& overrides) {
  ConfigSources sources;
  sources.overrides = overrides;
  std::vector<std::string> names;
  for (const auto& sink : read_run_config(sources).log)
    names.push_back(sink.name);
  return names;
}

} // namespace

TEST_CASE("a section of log names a sink", "[configuration][log_sink]") {
  CHECK(sinks_with({}).empty());
  CHECK(sinks_with({"log.store.path=logs.sqlite"}) == std::vector<std::string>{"store"});
}

TEST_CASE("the former name of a store is refused with the present one",
          "[configuration][log_sink]") {
  CHECK_THROWS_WITH(sinks_with({"run.store=logs.sqlite"}),
                    Catch::Contains("unknown key 'store' in run")
                      && Catch::Contains("it is now called 'log.store.path'"));
}

TEST_CASE("sinks that cannot be are refused with their place", "[configuration][log_sink]") {
  using Catch::Contains;
  CHECK_THROWS_WITH(sinks_with({"log.stor.path=logs.sqlite"}),
                    Contains("unknown key 'stor' in log") && Contains("did you mean 'store'?"));
  CHECK_THROWS_WITH(sinks_with({"log.store.pat=logs.sqlite"}), Contains("did you mean 'path'?"));
  CHECK_THROWS_WITH(sinks_with({"log.store={}"}), Contains("log.store: path is missing; give"));
  CHECK_THROWS_WITH(sinks_with({"log.store=logs.sqlite"}),
                    Contains("log.store is 'logs.sqlite'") && Contains("give it keys and values"));
}
