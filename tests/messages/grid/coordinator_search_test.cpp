#include "messages/grid/coordinator_search.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

TEST_CASE(
  "a node tries to reach its coordinator at once, and after each failure with a longer pause",
  "[M49]") {
  CoordinatorSearch search{60};
  search.begin(100);
  CHECK(search.is_due(100));
  search.failed(100, "no answer came");
  CHECK_FALSE(search.is_due(100.05));
  CHECK(search.is_due(100.11));
  search.failed(100.11, "no answer came");
  CHECK_FALSE(search.is_due(100.25));
  CHECK(search.is_due(100.32));
  search.begin(200, "the connection has ended");
  search.failed(200, "no answer came");
  CHECK(search.is_due(200.11));
}

TEST_CASE("people are told once what a node waits for, unless they have just been told", "[M49]") {
  CoordinatorSearch search{60};
  search.begin(0);
  search.failed(0, "no answer came");
  CHECK_FALSE(search.report(1.9));
  CHECK(search.report(2) == "waiting for the grid's coordinator, at most 1m: no answer came");
  CHECK_FALSE(search.report(3));
  search.begin(10, "the connection has ended");
  CHECK_FALSE(search.report(13));
}

TEST_CASE("a search ends with its patience, and reports the last answer", "[M49]") {
  CoordinatorSearch search{2.5};
  search.begin(10);
  search.failed(10, "no answer came");
  CHECK_FALSE(search.end(12.4));
  const auto why = search.end(12.5);
  REQUIRE(why);
  CHECK(why->find("could not be reached for 2.5s, the last answer was: no answer came; is it")
        != std::string::npos);
}
