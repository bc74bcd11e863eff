#include "apps/process/stop_signals.hpp"

#include <catch2/catch.hpp>
#include <signal.h>

#include <utility>
#include <vector>

using namespace troupe;

namespace {

StopSignals heard(const std::vector<std::pair<int, double>>& signals) {
  StopSignals result;
  for (const auto& [number, when] : signals)
    result.hear(number, when);
  return result;
}

} // namespace

TEST_CASE("a launcher that was not asked to end does not end", "[launch]") {
  CHECK_FALSE(StopSignals{}.any());
  CHECK_FALSE(StopSignals{}.insists());
}

TEST_CASE("the third Ctrl-C insists, and the first two wait for the epoch and the batch",
          "[launch][B9]") {
  CHECK(heard({{SIGINT, 0}}).any());
  CHECK_FALSE(heard({{SIGINT, 0}, {SIGINT, 0.1}}).insists());
  CHECK(heard({{SIGINT, 0}, {SIGINT, 0.1}, {SIGINT, 0.2}}).insists());
}

TEST_CASE(
  "a signal after one that ends after the batch insists, unless it is the same signal again",
  "[launch][R17]") {
  for (const auto number : {SIGTERM, SIGUSR1, SIGHUP}) {
    CHECK_FALSE(heard({{number, 0}}).insists());
    CHECK_FALSE(heard({{number, 0}, {number, 0.9}}).insists());
    CHECK(heard({{number, 0}, {number, 1}}).insists());
    CHECK(heard({{number, 0}, {number, 0.9}, {number, 2}}).insists());
    CHECK(heard({{number, 0}, {SIGINT, 0.1}}).insists());
    CHECK(heard({{SIGINT, 0}, {SIGINT, 0.1}, {number, 0.2}}).insists());
    CHECK_FALSE(heard({{SIGINT, 0}, {number, 0.1}}).insists());
  }
}
