#include "messages/timing/clocks.hpp"
#include "tests/support/deterministic_system.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

TEST_CASE("an actor's clock is its system's, and advances when that is set", "[timer]") {
  test::DeterministicSystem world;
  const auto began = seconds_now(world.self.ptr());
  CHECK(seconds_now(world.system) == began);
  world.advance(std::chrono::milliseconds{2500});
  CHECK(seconds_now(world.self.ptr()) == Approx(began + 2.5));
}
