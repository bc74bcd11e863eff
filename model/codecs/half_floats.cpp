#include "model/codecs/half_floats.hpp"

#include <algorithm>

namespace troupe {

namespace {

// Each converts one number without a branch, so that the loops below vectorise on any processor:
// all roundings are computed and one is selected.

struct BFloat16 {
  static std::uint16_t encode(float x) {
    const auto bits = std::bit_cast<std::uint32_t>(x);
    const auto nearest = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    const auto quiet_nan = (bits >> 16) | 0x40u; // the leading bits of the payload may all be 0
    return static_cast<std::uint16_t>(magnitude(x) > infinite_magnitude ? quiet_nan : nearest);
  }

  static float decode(std::uint16_t code) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(code) << 16);
  }
};

/// After F. Giesen, "Float->half variants", 2012. No intermediate result is subnormal, so it also
/// works under ComputeScope, which flushes subnormals to 0.
struct Float16 {
  static constexpr std::int32_t smallest_normal = 0x38800000; ///< bits of 2^-14
  static constexpr std::int32_t rebias = 112 << 23; ///< between the biases of exponents, 127 and 15

  static std::uint16_t encode(float x) {
    const auto a = magnitude(x);
    const auto sign = std::bit_cast<std::uint32_t>(x) >> 16 & 0x8000u;
    // Rounding up may carry into the exponent, up to the exponent of infinity; that is correct.
    const auto normal = std::min((a - rebias + 0xfff + (a >> 13 & 1)) >> 13, 0x7c00);
    // The last place of a float in [0.5, 1) is 2^-24, the unit of a subnormal: the sum rounds to
    // it.
    const auto sum = std::bit_cast<float>(a) + 0.5f;
    const auto subnormal = std::bit_cast<std::int32_t>(sum) - std::bit_cast<std::int32_t>(0.5f);
    const auto quiet_nan = 0x7e00 | (a >> 13 & 0x3ff);
    const auto number = a < smallest_normal ? subnormal : normal;
    const auto code = a > infinite_magnitude ? quiet_nan : number;
    return static_cast<std::uint16_t>(static_cast<std::uint32_t>(code) | sign);
  }

  static float decode(std::uint16_t code) {
    constexpr std::int32_t hidden_bit = 1 << 23, half_infinity = 0x7c00 << 13;
    const auto sign = (code & 0x8000u) << 16;
    const auto a = static_cast<std::int32_t>((code & 0x7fffu) << 13);
    const auto difference = std::bit_cast<float>(a + smallest_normal) - 0x1p-14f;
    const auto subnormal = std::bit_cast<std::int32_t>(difference);
    const auto special = (a + 2 * rebias) | (a > half_infinity ? 0x400000 : 0); // NaN, quiet
    const auto number = a < hidden_bit ? subnormal : a + rebias;
    const auto bits = a >= half_infinity ? special : number;
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits) | sign);
  }
};

template <class Half>
void encode_halves(std::span<const float> values, std::byte* to) {
  const auto* x = values.data();
  const auto n = values.size();
  for (std::size_t i = 0; i < n; ++i)
    store(to + 2 * i, Half::encode(x[i]));
}

template <class Half>
void decode_halves(const std::byte* from, std::span<float> values) {
  auto* x = values.data();
  const auto n = values.size();
  for (std::size_t i = 0; i < n; ++i)
    x[i] = Half::decode(load<std::uint16_t>(from + 2 * i));
}

} // namespace

void encode_bfloat16(std::span<const float> values, std::byte* to) {
  encode_halves<BFloat16>(values, to);
}

void decode_bfloat16(const std::byte* from, std::span<float> values) {
  decode_halves<BFloat16>(from, values);
}

void encode_float16(std::span<const float> values, std::byte* to) {
  encode_halves<Float16>(values, to);
}

void decode_float16(const std::byte* from, std::span<float> values) {
  decode_halves<Float16>(from, values);
}

} // namespace troupe
