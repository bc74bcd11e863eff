#include "model/codecs/scaled_integers.hpp"
#include "model/tensor/compute_scope.hpp"
#include "tests/support/wire.hpp"

#include <algorithm>
#include <cmath>

using namespace troupe;
using namespace troupe::test;
using Catch::Contains;

namespace {

struct Kind {
  WireFormat format;
  float limit;
};

constexpr Kind kinds[] = {{WireFormat::int8, 127}, {WireFormat::int4, 7}};

} // namespace

TEST_CASE("scaled integers are off by at most half a scale, with a scale per chunk", "[wire]") {
  for (const auto& [format, limit] : kinds)
    for (std::int64_t chunk : {1, 7, 64, 1000, 1024, 100'000}) {
      const auto size = static_cast<std::size_t>(chunk);
      auto values = normal_numbers(3001, 5);
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] *= static_cast<float>(std::exp(static_cast<double>(i / 500) - 3));
      const auto back = round_trip({.format = format, .chunk = chunk}, values);
      for (std::size_t begin = 0; begin < values.size(); begin += size) {
        const auto end = std::min(begin + size, values.size());
        double most = 0, worst = 0;
        for (auto i = begin; i < end; ++i) {
          most = std::max(most, std::abs(double{values[i]}));
          worst = std::max(worst, std::abs(double{back[i]} - double{values[i]}));
        }
        if (!(worst <= most / double{limit} / 2 * (1 + 1e-5)))
          FAIL(to_string(format) << ", chunk " << chunk << " from " << begin << ": off by " << worst
                                 << ", most " << most);
      }
    }
}

TEST_CASE("int4 takes half a byte for each element, of each chunk whole bytes", "[wire]") {
  const auto size = [](std::int64_t chunk, std::size_t n) {
    return encoded_size({.format = WireFormat::int4, .chunk = chunk}, n);
  };
  CHECK(size(1024, 0) == 4);
  CHECK(size(1024, 1) == 4 + 4 + 1);
  CHECK(size(1024, 2048) == 4 + 8 + 1024);
  CHECK(size(3, 7) == 4 + 12 + 2 + 2 + 1);
  const auto bytes = encoded({.format = WireFormat::int4, .chunk = 5}, {1, -2, 3, 7, -1});
  CHECK(Bytes(bytes.begin() + 8, bytes.end())
        == Bytes{std::byte{0x71}, std::byte{0xfe}, std::byte{3}});
}

TEST_CASE("scaled integers give zeros for zeros and the largest element for itself", "[wire]") {
  for (const auto& [format, limit] : kinds) {
    const WireOptions options{.format = format, .chunk = 2};
    const Floats exact{0, 0, 2 * limit, -4, 0, -limit};
    CHECK(round_trip(options, exact) == exact);
    const auto bytes = encoded(options, {0, -0.0f});
    CHECK(std::count(bytes.begin() + 4, bytes.end(), std::byte{0})
          == static_cast<std::ptrdiff_t>(bytes.size()) - 4); // the scale, and both
    CHECK(round_trip(options, {2 * limit, 1})
          == Floats{2 * limit, 0}); // half a scale, ties to even
    CHECK(round_trip(options, {2 * limit, 3}) == Floats{2 * limit, 4});
  }
}

TEST_CASE("scaled integers can encode the largest and the smallest floats", "[wire]") {
  for (const auto& kind : kinds) {
    const WireOptions options{.format = kind.format};
    const auto back = round_trip(options, {largest, -largest, 1});
    CHECK(back[0] == Approx(largest));
    CHECK(back[1] == -back[0]);
    CHECK(round_trip(options, {smallest, -8e-38f, 0}) == Floats{0, 0, 0});
    const ComputeScope flushed;
    CHECK(round_trip(options, {2e-36f, -2e-36f})[1] == Approx(-2e-36f).epsilon(1e-5));
  }
}

TEST_CASE("scaled integers report what is broken: chunk, scale or element", "[wire]") {
  const auto sentence = [](WireFormat format, std::size_t at, auto number) {
    auto bytes = encoded({.format = format, .chunk = 2}, {1, 2, 3}); // chunk, 2 scales, elements
    store(bytes.data() + at, number);
    Floats values(3, 0.5f);
    const auto broken = decode(format, bytes, values);
    CHECK(values == Floats(3, 0.5f));
    return broken;
  };
  CHECK_THAT(sentence(WireFormat::int8, 0, std::uint32_t{1}), Contains("take 19 in chunks of 1"));
  CHECK_THAT(sentence(WireFormat::int8, 0, ~std::uint32_t{0}), Contains("take 11"));
  CHECK_THAT(sentence(WireFormat::int4, 0, ~std::uint32_t{0}), Contains("take 10"));
  for (const auto& kind : kinds) {
    CHECK_THAT(sentence(kind.format, 0, std::uint32_t{0}), Contains("chunks of 0"));
    for (auto scale : {-1.0f, infinity, not_a_number, largest})
      CHECK_THAT(sentence(kind.format, 8, scale), Contains("scale 1 is negative or not finite"));
  }
  CHECK_THAT(sentence(WireFormat::int8, 14, std::int8_t{-128}), Contains("-128"));
  CHECK_THAT(sentence(WireFormat::int4, 12, std::uint8_t{0x18}), Contains("-8"));
  CHECK_THAT(sentence(WireFormat::int4, 12, std::uint8_t{0x81}), Contains("-8"));
}
