#include "messages/loop/run_clock.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

TEST_CASE("a resumed run includes the seconds before", "[run_clock]") {
  RunClock clock;
  clock.start(1000, 0);
  CHECK(clock.seconds(1007) == 7);
  clock.start(5000, 7);
  CHECK(clock.seconds(5001) == 8);
  CHECK(clock.since_start(5001) == 1);
}

TEST_CASE("a state restored during a run sets its seconds", "[run_clock]") {
  RunClock clock;
  clock.start(100, 0);
  clock.place(110, 3600);
  CHECK(clock.seconds(111) == 3601);
  CHECK(clock.since_start(111) == 11);
}
