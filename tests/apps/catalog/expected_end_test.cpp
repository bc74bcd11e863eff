// The expected end of a run, for its progress display.
#include "apps/catalog/expected_end.hpp"
#include "tests/support/run_yaml.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using namespace troupe::test;

namespace {

ExpectedEnd end_of(const std::vector<std::string>& sections) {
  std::vector<ConfiguredExtension> extensions;
  for (const auto& section : sections) {
    auto& extension = extensions.emplace_back();
    REQUIRE(
      read_extension("e" + std::to_string(extensions.size()), read(section), extension).empty());
  }
  return expected_end(extensions);
}

} // namespace

TEST_CASE("the earliest end of each kind is expected", "[progress_bar][B32]") {
  const auto end = end_of({"{type: finish_after, after_n_batches: 70}",
                           "{type: terminal_conditions, limits: {episode_limit: 30}}",
                           "{type: stop_after_time_elapsed, total_duration: 2m}",
                           "{type: stop_after_time_elapsed, total_duration: 90s}"});
  CHECK(end.batches == 30);
  CHECK(end.seconds == 90);
}

TEST_CASE("an end that is not known beforehand is not expected", "[progress_bar][B32]") {
  const auto end = end_of({"{type: finish_after, every_n_batches: 70}",
                           "{type: finish_after, after_n_epochs: 2}", "{type: terminal_conditions}",
                           "{type: stop_after_time_elapsed, total_duration: inf}",
                           "{type: early_stopping, epochs: 3}"});
  CHECK(end.batches == 0);
  CHECK(end.seconds == 0);
}
