// Blocks of floats through a wire format and back.
#pragma once

#include "model/codecs/wire_format.hpp"
#include "model/tensor/random.hpp"

#include <catch2/catch.hpp>

#include <cstring>
#include <limits>
#include <vector>

namespace troupe::test {

using Floats = std::vector<float>;
using Bytes = std::vector<std::byte>;

inline constexpr auto infinity = std::numeric_limits<float>::infinity();
inline constexpr auto not_a_number = std::numeric_limits<float>::quiet_NaN();
inline constexpr auto largest = std::numeric_limits<float>::max();
inline constexpr auto smallest = std::numeric_limits<float>::denorm_min(); ///< above 0

inline std::vector<WireOptions> one_of_each() {
  return {{.format = WireFormat::float32},
          {.format = WireFormat::bfloat16},
          {.format = WireFormat::float16},
          {.format = WireFormat::int8, .chunk = 3},
          {.format = WireFormat::top_k, .keep = 0.4},
          {.format = WireFormat::int4, .chunk = 3}};
}

inline Bytes encoded(const WireOptions& options, const Floats& values) {
  Bytes out;
  REQUIRE(encode(options, values, out).empty());
  REQUIRE(out.size() == encoded_size(options, values.size()));
  return out;
}

inline Floats decoded(WireFormat format, const Bytes& bytes, std::size_t n) {
  Floats values(n, not_a_number);
  REQUIRE(decode(format, bytes, values).empty());
  return values;
}

inline Floats round_trip(const WireOptions& options, const Floats& values) {
  return decoded(options.format, encoded(options, values), values.size());
}

inline float round_trip(WireFormat format, float value) {
  return round_trip({.format = format}, Floats{value}).front();
}

inline Floats normal_numbers(std::size_t n, std::uint64_t seed = 1, double deviation = 1) {
  Random random{{seed}};
  Floats values(n);
  for (auto& x : values)
    x = static_cast<float>(deviation * random.normal());
  return values;
}

inline bool same_bits(const Floats& a, const Floats& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

} // namespace troupe::test
