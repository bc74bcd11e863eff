#include "actors/loop/awaited_gate.hpp"

#include <catch2/catch.hpp>

#include <limits>

using namespace troupe;

namespace {

std::shared_ptr<Subscription> gate_with_deadline(double seconds) {
  auto gate = std::make_shared<Subscription>();
  gate->deadline = seconds;
  return gate;
}

} // namespace

TEST_CASE("only the answer to the last question is awaited", "[awaited_gate]") {
  AwaitedGate awaited;
  CHECK_FALSE(awaited);
  const auto gate = gate_with_deadline(60);
  const auto first = awaited.await(gate, 0);
  CHECK(awaited.is(first));
  CHECK(awaited.is(*gate));
  awaited.release(1);
  CHECK_FALSE(awaited);
  CHECK_FALSE(awaited.is(first));
  const auto second = awaited.await(gate, 2);
  CHECK(awaited.is(second));
  CHECK_FALSE(awaited.is(first));
  CHECK(gate->asked == 2);
}

TEST_CASE("the time that training waits for a gate is counted", "[awaited_gate]") {
  AwaitedGate awaited;
  const auto gate = gate_with_deadline(60);
  awaited.await(gate, 10);
  CHECK(awaited.release(13) == 3);
  awaited.await(gate, 20);
  CHECK(awaited.release(21) == 1);
  CHECK(gate->waited_seconds == 4);
}

TEST_CASE("people are told once, after 2 s, that training waits for a gate", "[awaited_gate]") {
  AwaitedGate awaited;
  CHECK(awaited.check(100) == AwaitedGate::Check::in_time); // nothing is awaited
  awaited.await(gate_with_deadline(std::numeric_limits<double>::infinity()), 0);
  CHECK(awaited.check(1.9) == AwaitedGate::Check::in_time);
  CHECK(awaited.check(2) == AwaitedGate::Check::report);
  CHECK(awaited.check(1e9) == AwaitedGate::Check::in_time);
  awaited.release(1e9);
  awaited.await(gate_with_deadline(60), 2e9);
  CHECK(awaited.check(2e9 + 3) == AwaitedGate::Check::report); // another request
}

TEST_CASE("a gate is late once its deadline has passed", "[awaited_gate]") {
  AwaitedGate awaited;
  awaited.await(gate_with_deadline(1.5), 10);
  CHECK(awaited.check(11.4) == AwaitedGate::Check::in_time);
  CHECK(awaited.check(11.5) == AwaitedGate::Check::late);
}

TEST_CASE("a gate with a short deadline has its own timer and is not checked", "[awaited_gate]") {
  AwaitedGate awaited;
  const auto gate = gate_with_deadline(1);
  CHECK_FALSE(AwaitedGate::is_checked(*gate));
  awaited.await(gate, 0);
  CHECK(awaited.check(1.5) == AwaitedGate::Check::in_time);
}

TEST_CASE("the next check is after a second, or when the deadline passes", "[awaited_gate]") {
  AwaitedGate awaited;
  CHECK(awaited.seconds_to_check(0) == 1);
  awaited.await(gate_with_deadline(60), 0);
  CHECK(awaited.seconds_to_check(0) == 1);
  CHECK(awaited.seconds_to_check(59.5) == 0.5);
  CHECK(awaited.seconds_to_check(61) > 0); // never at once, so that other messages are handled
}
