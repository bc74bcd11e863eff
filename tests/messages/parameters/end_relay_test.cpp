#include "messages/parameters/end_relay.hpp"

#include <catch2/catch.hpp>

using namespace troupe;
using Action = EndRelay::Action;

namespace {

constexpr double lease_seconds = 1, relay_deadline = 60;
const StopAll good_enough{"loss is good enough"};
const StopAll not_told;

} // namespace

TEST_CASE("an end requested by others is passed on once", "[end_relay]") {
  EndRelay relay;
  CHECK(relay.update(not_told, 0, lease_seconds) == Action::nothing);
  CHECK(relay.update(good_enough, 1, lease_seconds) == Action::pass_on);
  CHECK(relay.stop().reason == good_enough.reason);
  CHECK(relay.update(good_enough, 2, lease_seconds) == Action::nothing);
  CHECK_FALSE(relay.begin({"another"}, 3)); // it is ending already
}

TEST_CASE("an end is sent to the holder until the holder has it", "[end_relay]") {
  EndRelay relay;
  CHECK(relay.begin(good_enough, 0));
  CHECK_FALSE(relay.begin({"another"}, 0)); // the first reason counts
  CHECK(relay.update(not_told, 0, lease_seconds) == Action::notify_holder);
  CHECK(relay.update(not_told, 1, lease_seconds) == Action::notify_holder);
  CHECK(relay.stop().reason == good_enough.reason);
}

TEST_CASE("the worker itself ends once all others know of the end", "[end_relay]") {
  EndRelay relay;
  relay.begin(good_enough, 0);
  CHECK(relay.update(good_enough, 1, lease_seconds) == Action::nothing);
  CHECK(relay.update(good_enough, 1.5, lease_seconds)
        == Action::nothing); // counted from the first one
  CHECK(relay.check(2.2, relay_deadline) == Action::nothing);
  CHECK(relay.check(2.25, relay_deadline) == Action::pass_on);
  CHECK(relay.stop().reason == good_enough.reason);
  CHECK(relay.check(2.3, relay_deadline) == Action::nothing);
}

TEST_CASE("a restarted holder is notified again", "[end_relay]") {
  EndRelay relay;
  relay.begin(good_enough, 0);
  relay.update(good_enough, 1, lease_seconds);
  SECTION("since its connection was lost") { relay.lose_holder(); }
  SECTION("since it does not know of the end") {
    CHECK(relay.update(not_told, 1.5, lease_seconds) == Action::notify_holder);
  }
  CHECK(relay.check(2.5, relay_deadline) != Action::pass_on);
  relay.update(good_enough, 3, lease_seconds);
  CHECK(relay.check(4.25, relay_deadline) == Action::pass_on);
}

TEST_CASE("a wait of the end for the holder is reported once", "[end_relay]") {
  EndRelay relay;
  relay.begin(good_enough, 0);
  CHECK(relay.check(1.9, relay_deadline) == Action::nothing);
  CHECK(relay.check(2, relay_deadline) == Action::report);
  CHECK(relay.check(3, relay_deadline) == Action::nothing);
}

TEST_CASE("an unreachable holder is given up after the deadline", "[end_relay]") {
  EndRelay relay;
  relay.begin(good_enough, 0);
  CHECK(relay.check(relay_deadline, relay_deadline) == Action::give_up);
  CHECK(relay.stop().reason == good_enough.reason);
  CHECK(relay.check(relay_deadline + 1, relay_deadline) == Action::nothing);
  CHECK(relay.update(not_told, relay_deadline + 2, lease_seconds)
        == Action::notify_holder); // after all
}
