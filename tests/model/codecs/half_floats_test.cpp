#include "model/codecs/half_floats.hpp"
#include "model/tensor/compute_scope.hpp"
#include "tests/support/wire.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

using namespace troupe;
using namespace troupe::test;

namespace {

/// The float of every 16-bit code of a format, in the order of the codes.
Floats all_codes(WireFormat format) {
  Bytes bytes(2 * 65536);
  for (std::uint32_t code = 0; code < 65536; ++code) {
    const auto half = static_cast<std::uint16_t>(code);
    std::memcpy(bytes.data() + 2 * code, &half, 2);
  }
  return decoded(format, bytes, 65536);
}

std::uint32_t code_of(WireFormat format, float x) {
  std::uint16_t code = 0;
  std::memcpy(&code, encoded({.format = format}, {x}).data(), 2);
  return code;
}

} // namespace

TEST_CASE("each of the 65,536 codes of 16 bits is decoded and encoded to itself", "[wire]") {
  for (auto format : {WireFormat::bfloat16, WireFormat::float16}) {
    const auto values = all_codes(format);
    const auto bytes = encoded({.format = format}, values);
    int wrong = 0, nans = 0;
    for (std::uint32_t code = 0; code < 65536; ++code) {
      std::uint16_t back = 0;
      std::memcpy(&back, bytes.data() + 2 * code, 2);
      const auto is_nan = std::isnan(values[code]);
      nans += is_nan;
      wrong += is_nan ? !std::isnan(values[back]) || (back ^ code) >> 15 != 0 : back != code;
    }
    INFO(to_string(format));
    CHECK(wrong == 0);
    CHECK(nans == (format == WireFormat::bfloat16 ? 2 * 127 : 2 * 1023));
  }
}

TEST_CASE("between two 16-bit neighbours the nearer is taken, half-way the even one", "[wire]") {
  for (auto format : {WireFormat::bfloat16, WireFormat::float16}) {
    const auto values = all_codes(format);
    const auto count = format == WireFormat::bfloat16 ? 0x7f7fu : 0x7bffu; // below the largest
    Floats inputs, expected;
    for (std::uint32_t code = 0; code < count; ++code) {
      const auto low = values[code], high = values[code + 1];
      const auto middle = low + (high - low) / 2;
      const auto even = code % 2 == 0 ? low : high;
      for (auto sign : {1.0f, -1.0f}) {
        inputs.insert(inputs.end(), {sign * middle, sign * std::nextafter(middle, low),
                                     sign * std::nextafter(middle, high)});
        expected.insert(expected.end(), {sign * even, sign * low, sign * high});
      }
    }
    INFO(to_string(format));
    CHECK(same_bits(round_trip({.format = format}, inputs), expected));
  }
}

TEST_CASE("16-bit numbers have values worked out by hand", "[wire]") {
  const auto bf = WireFormat::bfloat16, fp = WireFormat::float16;
  CHECK(code_of(bf, 1) == 0x3f80);
  CHECK(round_trip(bf, 1 + 0x1p-8f) == 1);               // half-way; 1 is even
  CHECK(round_trip(bf, 1 + 3 * 0x1p-8f) == 1 + 0x1p-6f); // half-way; upwards is even
  CHECK(round_trip(bf, largest) == infinity);
  CHECK(code_of(fp, 1) == 0x3c00);
  CHECK(code_of(fp, -2) == 0xc000);
  CHECK(round_trip(fp, 1 + 0x1p-11f) == 1);
  CHECK(round_trip(fp, 1 + 3 * 0x1p-11f) == 1 + 0x1p-9f);
  CHECK(round_trip(fp, 65504) == 65504);
  CHECK(round_trip(fp, std::nextafter(65520.0f, 0.0f)) == 65504);
  CHECK(round_trip(fp, 65520) == infinity);
  CHECK(round_trip(fp, -largest) == -infinity);
  CHECK(code_of(fp, 0x1p-24f) == 1); // the smallest subnormal
  CHECK(code_of(fp, 0x1p-25f) == 0); // half of it; 0 is even
  CHECK(code_of(fp, std::nextafter(0x1p-25f, 1.0f)) == 1);
  CHECK(code_of(fp, -smallest) == 0x8000);
  for (auto format : {bf, fp}) {
    CHECK(round_trip(format, -infinity) == -infinity);
    CHECK(std::isnan(round_trip(format, std::bit_cast<float>(0x7f800001u)))); // not infinity
    CHECK(std::signbit(round_trip(format, -0.0f)));
  }
}

TEST_CASE("16 bits keep the bound on the relative error", "[wire]") {
  for (auto deviation : {1e-3, 1.0, 100.0}) {
    const auto values = normal_numbers(10'000, 3, deviation);
    for (auto [format, bound] :
         {std::pair{WireFormat::bfloat16, 0x1p-8}, std::pair{WireFormat::float16, 0x1p-11}}) {
      const auto back = round_trip({.format = format}, values);
      double worst = 0, worst_absolute = 0;
      for (std::size_t i = 0; i < values.size(); ++i) {
        const auto error = std::abs(double{back[i]} - double{values[i]});
        if (std::abs(values[i]) >= 0x1p-14f)
          worst = std::max(worst, error / std::abs(double{values[i]}));
        else
          worst_absolute = std::max(worst_absolute, error);
      }
      CHECK(worst <= bound);
      CHECK(worst > bound / 2); // otherwise the bound is too loose
      CHECK(worst_absolute <= (format == WireFormat::float16 ? 0x1p-25 : 0x1p-22));
    }
  }
}

TEST_CASE("a number is encoded the same alone, among many and where subnormals are flushed",
          "[wire]") {
  for (auto format : {WireFormat::bfloat16, WireFormat::float16}) {
    const auto values = all_codes(format);
    const auto bytes = encoded({.format = format}, values);
    int wrong = 0;
    for (std::uint32_t code = 0; code < 65536; code += 37) {
      Bytes one;
      REQUIRE(encode({.format = format}, std::span{values}.subspan(code, 1), one).empty());
      wrong += std::memcmp(one.data(), bytes.data() + 2 * code, 2) != 0;
    }
    CHECK(wrong == 0);
    const ComputeScope flushed;
    CHECK(same_bits(all_codes(format), values));
    CHECK(encoded({.format = format}, values) == bytes);
  }
}
