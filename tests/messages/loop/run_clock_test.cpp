#include "messages/loop/run_clock.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

TEST_CASE("a run that goes on counts the seconds of before", "[run_clock]") {
  RunClock clock;
  clock.start(1000, 0);
  CHECK(clock.seconds(1007) == 7);
  clock.start(5000, 7);
  CHECK(clock.seconds(5001) == 8);
  CHECK(clock.since_start(5001) == 1);
}

TEST_CASE("a state that is restored in a run brings its seconds", "[run_clock]") {
  RunClock clock;
  clock.start(100, 0);
  clock.place(110, 3600);
  CHECK(clock.seconds(111) == 3601);
  CHECK(clock.since_start(111) == 11);
}
