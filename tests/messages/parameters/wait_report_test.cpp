#include "messages/parameters/wait_report.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

TEST_CASE("workers are listed as in a sentence", "[L9]") {
  CHECK(workers_text({7}) == "worker 7");
  CHECK(workers_text({1, 2}) == "workers 1 and 2");
  CHECK(workers_text({1, 2, 5}) == "workers 1, 2 and 5");
}

TEST_CASE("a wait is reported after two seconds and each time it has lasted thirty times as long",
          "[L9]") {
  WaitReport report;
  CHECK_FALSE(report.is_due(1.9));
  CHECK(report.is_due(2.1));
  CHECK(report.describe({.missing = {1}}) == "a round has waited 2s for worker 1");
  CHECK_FALSE(report.is_due(59));
  CHECK(report.is_due(60));
  CHECK(report.describe({.missing = {1}}) == "a round has waited 1m for worker 1");
  CHECK_FALSE(report.is_due(1799));
  CHECK(report.is_due(1800));
  CHECK_FALSE(report.is_due(0.1)); // another wait
  CHECK(report.is_due(2));
}

TEST_CASE("a report names what all others wait for", "[L9]") {
  const auto told = [](const HolderWait& wait) { return WaitReport{}.describe(wait); };
  HolderWait wait{.join_grace = 60, .missing = {1, 3}, .slow = {4}};
  CHECK(told(wait) == "a round has waited 2s for workers 1 and 3");
  wait.for_absent = true;
  CHECK(told(wait) == "a round waits for workers that have not joined yet, at most 1m");
  wait.for_first_parameters = true;
  CHECK(told(wait)
        == "no worker begins before the main one, worker 0, has created the parameters; it has not "
           "joined yet, and others wait at most 1m");
  wait.for_absent = false;
  CHECK(told(wait) == "no worker begins before the main one, worker 0, has created the parameters");
  CHECK(told({.slow = {4}}) == "a worker that is ahead has waited 2s for worker 4");
  CHECK_FALSE(told({}));
}
