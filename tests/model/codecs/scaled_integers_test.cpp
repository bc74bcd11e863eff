#include "model/codecs/scaled_integers.hpp"
#include "model/tensor/compute_scope.hpp"
#include "tests/support/wire.hpp"

#include <algorithm>
#include <cmath>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

TEST_CASE("int8 is off by at most half a scale, with a scale per chunk", "[wire]") {
  for (std::int64_t chunk : {1, 7, 64, 1000, 1024, 100'000}) {
    const auto size = static_cast<std::size_t>(chunk);
    auto values = normal_numbers(3000, 5);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] *= static_cast<float>(std::exp(static_cast<double>(i / 500) - 3));
    const auto back = round_trip({.format = WireFormat::int8, .chunk = chunk}, values);
    for (std::size_t begin = 0; begin < values.size(); begin += size) {
      const auto end = std::min(begin + size, values.size());
      double most = 0, worst = 0;
      for (auto i = begin; i < end; ++i) {
        most = std::max(most, std::abs(double{values[i]}));
        worst = std::max(worst, std::abs(double{back[i]} - double{values[i]}));
      }
      if (!(worst <= most / 127 / 2 * (1 + 1e-5)))
        FAIL("chunk " << chunk << " from " << begin << ": off by " << worst << ", most " << most);
    }
  }
}

TEST_CASE("int8 gives zeros for zeros and the largest element for itself", "[wire]") {
  const WireOptions options{.format = WireFormat::int8, .chunk = 2};
  CHECK(round_trip(options, {0, 0, 254, -4, 0, -127}) == Floats{0, 0, 254, -4, 0, -127});
  const auto bytes = encoded(options, {0, -0.0f});
  CHECK(std::count(bytes.begin() + 4, bytes.end(), std::byte{0}) == 6); // the scale, and both
  CHECK(round_trip(options, {254, 1}) == Floats{254, 0}); // half a scale, ties to even
  CHECK(round_trip(options, {254, 3}) == Floats{254, 4});
}

TEST_CASE("int8 can encode the largest and the smallest floats", "[wire]") {
  const WireOptions options{.format = WireFormat::int8};
  const auto back = round_trip(options, {largest, -largest, 1});
  CHECK(back[0] == Approx(largest));
  CHECK(back[1] == -back[0]);
  CHECK(round_trip(options, {smallest, -1e-36f, 0}) == Floats{0, 0, 0});
  const ComputeScope flushed;
  CHECK(round_trip(options, {2e-36f, -2e-36f})[1] == Approx(-2e-36f).epsilon(1e-5));
}

TEST_CASE("int8 reports what is broken: chunk, scale or element", "[wire]") {
  const WireOptions options{.format = WireFormat::int8, .chunk = 2};
  const auto good = encoded(options, {1, 2, 3}); // chunk, 2 scales, 3 elements
  const auto sentence = [&good](std::size_t at, auto number) {
    auto bytes = good;
    store(bytes.data() + at, number);
    Floats values(3, 0.5f);
    const auto broken = decode(WireFormat::int8, bytes, values);
    CHECK(values == Floats(3, 0.5f));
    return broken;
  };
  CHECK_THAT(sentence(0, std::uint32_t{0}), Contains("chunks of 0"));
  CHECK_THAT(sentence(0, std::uint32_t{1}), Contains("take 19 in chunks of 1"));
  CHECK_THAT(sentence(0, ~std::uint32_t{0}), Contains("take 11"));
  for (auto scale : {-1.0f, infinity, not_a_number, largest})
    CHECK_THAT(sentence(8, scale), Contains("scale 1 is negative or not finite"));
  CHECK_THAT(sentence(14, std::int8_t{-128}), Contains("-128"));
}
