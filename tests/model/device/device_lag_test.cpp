#include "model/device/device_lag.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

namespace {

/// What may be behind once steps of this length were waited for.
std::size_t lag_with_steps_of(double seconds) {
  DeviceLag lag;
  lag.waited(16, 100);
  lag.waited(16, 100 + 16 * seconds);
  return lag.most();
}

} // namespace

TEST_CASE("a card may be behind by what it computes in 4 ms", "[device_lag]") {
  CHECK(lag_with_steps_of(1.0 / 1024) == 4);
  CHECK(lag_with_steps_of(1.0 / 4096) == 16);
}

TEST_CASE("a card is always behind by some steps, and never by very many", "[device_lag]") {
  CHECK(lag_with_steps_of(1) == 2);
  CHECK(lag_with_steps_of(1e-7) == 64);
}

TEST_CASE("few steps say nothing about their length", "[device_lag]") {
  DeviceLag lag;
  lag.waited(1, 100);
  CHECK(lag.most() == 16);
  lag.waited(15, 200);
  CHECK(lag.most() == 16);
  lag.waited(1, 200);
  CHECK(lag.most() == 2);
}
