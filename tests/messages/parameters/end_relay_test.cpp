#include "messages/parameters/end_relay.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using Act = EndRelay::Act;

namespace {

constexpr double lease_seconds = 1, relay_deadline = 60;
const StopAll good_enough{"loss is good enough"};
const StopAll not_told;

} // namespace

TEST_CASE("an end that others want is passed on once", "[end_relay]") {
  EndRelay relay;
  CHECK(relay.hear(not_told, 0, lease_seconds) == Act::nothing);
  CHECK(relay.hear(good_enough, 1, lease_seconds) == Act::pass_on);
  CHECK(relay.stop().reason == good_enough.reason);
  CHECK(relay.hear(good_enough, 2, lease_seconds) == Act::nothing);
  CHECK_FALSE(relay.begin({"another"}, 3)); // it ends already
}

TEST_CASE("an end is told to the holder until that has it", "[end_relay]") {
  EndRelay relay;
  CHECK(relay.begin(good_enough, 0));
  CHECK_FALSE(relay.begin({"another"}, 0)); // the first reason counts
  CHECK(relay.hear(not_told, 0, lease_seconds) == Act::tell_holder);
  CHECK(relay.hear(not_told, 1, lease_seconds) == Act::tell_holder);
  CHECK(relay.stop().reason == good_enough.reason);
}

TEST_CASE("the worker itself ends when all others have heard of it", "[end_relay]") {
  EndRelay relay;
  relay.begin(good_enough, 0);
  CHECK(relay.hear(good_enough, 1, lease_seconds) == Act::nothing);
  CHECK(relay.hear(good_enough, 1.5, lease_seconds) == Act::nothing); // counts from the first
  CHECK(relay.check(2.2, relay_deadline) == Act::nothing);
  CHECK(relay.check(2.25, relay_deadline) == Act::pass_on);
  CHECK(relay.stop().reason == good_enough.reason);
  CHECK(relay.check(2.3, relay_deadline) == Act::nothing);
}

TEST_CASE("a holder that is started anew is told again", "[end_relay]") {
  EndRelay relay;
  relay.begin(good_enough, 0);
  relay.hear(good_enough, 1, lease_seconds);
  SECTION("since its connection was lost") { relay.lose_holder(); }
  SECTION("since it does not know of the end") {
    CHECK(relay.hear(not_told, 1.5, lease_seconds) == Act::tell_holder);
  }
  CHECK(relay.check(2.5, relay_deadline) != Act::pass_on);
  relay.hear(good_enough, 3, lease_seconds);
  CHECK(relay.check(4.25, relay_deadline) == Act::pass_on);
}

TEST_CASE("people are told once that the end waits for the holder", "[end_relay]") {
  EndRelay relay;
  relay.begin(good_enough, 0);
  CHECK(relay.check(1.9, relay_deadline) == Act::nothing);
  CHECK(relay.check(2, relay_deadline) == Act::report);
  CHECK(relay.check(3, relay_deadline) == Act::nothing);
}

TEST_CASE("a holder that cannot be reached is given up after the deadline", "[end_relay]") {
  EndRelay relay;
  relay.begin(good_enough, 0);
  CHECK(relay.check(relay_deadline, relay_deadline) == Act::give_up);
  CHECK(relay.stop().reason == good_enough.reason);
  CHECK(relay.check(relay_deadline + 1, relay_deadline) == Act::nothing);
  CHECK(relay.hear(not_told, relay_deadline + 2, lease_seconds) == Act::tell_holder); // after all
}
