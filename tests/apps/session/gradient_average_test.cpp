#include "apps/run_config/read_run_config.hpp"
#include "tests/support/program.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using namespace troupe::test;

namespace {

ConfigSources with_sync(const std::string& name, const std::string& options) {
  ConfigSources sources;
  sources.overrides = {"extensions." + name + "={" + options + "}"};
  sources.in_cluster = true;
  sources.workers = 2;
  return sources;
}

std::string averaged(const std::string& arguments) {
  WorkFolder work;
  const auto ran = troupe_program(
    work.path(), arguments
                   + " -q --json training.epochs=2 optimizer.name=adam "
                     "'+extensions.shared_params_auto_sync={before_update: true, rule: "
                     "gradient_average, staleness: 0}' "
                   + small_digits);
  INFO(ran.error);
  REQUIRE(ran.code == 0);
  const auto parameters = json_text(ran.out, "parameters");
  CHECK_FALSE(parameters.empty());
  return parameters;
}

} // namespace

TEST_CASE("workers that average gradients end with the same bits in one process and in several",
          "[gradient_average][L9][L10][slow]") {
  const auto one_process = averaged("train training.workers=2");
  CHECK(averaged("launch -n 2 --insecure") == one_process);
  CHECK(averaged("launch -n 2 -p 2 --insecure") == one_process);
  CHECK(averaged("train training.workers=3") != one_process);
}

TEST_CASE("a gradient average that leaves out updates or has no rounds is refused with the cure",
          "[gradient_average][L12]") {
  const auto refused
    = [](const std::string& name, const std::string& options, const std::string& cure) {
        CHECK_THROWS_WITH(read_run_config(with_sync(name, options)), Catch::Contains(cure));
      };
  const std::string gradients = "rule: gradient_average, staleness: 0, ";
  const auto auto_sync = "shared_params_auto_sync", limited = "shared_params_rate_limited";
  refused(auto_sync, gradients + "every_n_batches: 2", "the one trigger `before_update: true`");
  refused(auto_sync, gradients + "before_update: true, after_epoch: true",
          "triggered at after_epoch");
  refused(auto_sync, "rule: gradient_average, staleness: 0", "give it `before_update: true`");
  refused(auto_sync, "rule: gradient_average, before_update: true", "give it `staleness: 0`");
  refused(auto_sync, "rule: gradient_average, staleness: 2, before_update: true", "staleness 2");
  refused(auto_sync, "rule: average, before_update: true", "like `every_n_batches: 1`");
  refused(limited, "sync: {rule: gradient_average, staleness: 0}", "use shared_params_auto_sync");
  CHECK_NOTHROW(read_run_config(with_sync(auto_sync, gradients + "before_update: true")));
}
