#include "messages/parameters/interrupt_watch.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using Watched = InterruptWatch::Action;

TEST_CASE("nothing is asked while no exchange waits", "[interrupt_watch]") {
  InterruptWatch watch;
  CHECK(watch.check(false, 100) == Watched::nothing);
}

TEST_CASE("trainers are asked every half second while an exchange waits", "[interrupt_watch]") {
  InterruptWatch watch;
  CHECK(watch.check(true, 10) == Watched::ask);
  CHECK(watch.check(true, 10.4) == Watched::nothing);
  CHECK(watch.check(true, 10.5) == Watched::ask);
}

TEST_CASE("an interrupted worker waits two seconds more for others", "[interrupt_watch]") {
  InterruptWatch watch;
  watch.interrupted(10);
  watch.interrupted(11); // counted from the first one
  CHECK(watch.check(true, 11.9) == Watched::nothing);
  CHECK(watch.check(true, 12) == Watched::stop_waiting);
  CHECK(watch.check(false, 12) == Watched::nothing);
  CHECK(watch.is_report_due());
  CHECK_FALSE(watch.is_report_due());
}
