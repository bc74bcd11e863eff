#include "model/tensor/random.hpp"

#include <catch2/catch.hpp>

using namespace troupe;

TEST_CASE("any number of a stream can be drawn by itself", "[random]") {
  const RandomKey key{1234567};
  Random random{key};
  for (std::uint64_t i = 0; i < 23; ++i)
    CHECK(bits_at(key.value, i) == random.bits());
}
