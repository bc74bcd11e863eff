#include "model/codecs/scaled_integers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace troupe {

namespace {

constexpr std::size_t chunk_header = sizeof(std::uint32_t); ///< bytes: the chunk size

template <int Bits>
constexpr float limit = (1 << (Bits - 1)) - 1;

/// Bytes of `n` integers of one chunk.
template <int Bits>
std::size_t packed_size(std::size_t n) {
  return Bits == 8 ? n : n / 2 + n % 2;
}

std::size_t scales_size(std::size_t n, std::size_t chunk) {
  return (n / chunk + (n % chunk != 0)) * sizeof(float);
}

/// max|x| / limit; 0 if that is subnormal, because ComputeScope would flush it.
float scale_of(float largest, float limit) {
  const auto scale = largest / limit;
  if (scale < std::numeric_limits<float>::min())
    return 0;
  return std::isinf(limit * scale) ? std::nextafter(scale, 0.0f) : scale;
}

template <int Bits>
void pack_integers(std::span<const float> x, float divisor, std::byte* to) {
  // The last place of a float near 1.5 * 2^23 is 1: the sum rounds to an integer, ties to even,
  // whose low bits are q. Unlike a library call it vectorises everywhere.
  const auto q
    = [=](std::size_t i) { return std::bit_cast<std::uint32_t>(x[i] / divisor + 0x1.8p23f); };
  const auto bytes = packed_size<Bits>(x.size());
  for (std::size_t i = 0; i < bytes; ++i)
    to[i] = static_cast<std::byte>(q(i) & (0xff >> (8 - Bits)));
  for (auto i = bytes; i < x.size(); ++i)
    to[i - bytes] |= static_cast<std::byte>(q(i) << 4);
}

template <int Bits>
void unpack_integers(const std::byte* from, float scale, std::span<float> x) {
  const auto bytes = packed_size<Bits>(x.size());
  constexpr auto below = 8 - Bits; // bits of the byte
  const auto value = [=](std::byte code) {
    return scale * static_cast<float>(static_cast<std::int8_t>(code) >> below);
  };
  for (std::size_t i = 0; i < bytes; ++i)
    x[i] = value(from[i] << below);
  for (auto i = bytes; i < x.size(); ++i)
    x[i] = value(from[i - bytes]);
}

/// Whether an integer is less than -limit: times the largest scale it would be infinite.
template <int Bits>
bool below_limit(std::span<const std::byte> packed) {
  constexpr auto below = 8 - Bits;
  constexpr auto high = std::byte{0xff} << below;
  std::int8_t least = 0;
  for (auto code : packed)
    least = std::min(
      {least, static_cast<std::int8_t>(code & high), static_cast<std::int8_t>(code << below)});
  return least == -128;
}

} // namespace

template <int Bits>
std::size_t scaled_size(std::size_t n, std::size_t chunk) {
  return chunk_header + scales_size(n, chunk) + n / chunk * packed_size<Bits>(chunk)
         + packed_size<Bits>(n % chunk);
}

template <int Bits>
bool encode_scaled(std::size_t chunk, std::span<const float> values, std::byte* to) {
  const auto n = values.size();
  auto* scales = to + chunk_header;
  auto* packed = scales + scales_size(n, chunk);
  store(to, static_cast<std::uint32_t>(chunk));
  for (std::size_t begin = 0; begin < n; begin += chunk, scales += sizeof(float)) {
    const auto x = values.subspan(begin, std::min(chunk, n - begin));
    std::int32_t largest = 0;
    for (auto value : x)
      largest = std::max(largest, magnitude(value));
    if (largest >= infinite_magnitude)
      return false;
    const auto scale = scale_of(std::bit_cast<float>(largest), limit<Bits>);
    store(scales, scale);
    pack_integers<Bits>(x, scale > 0 ? scale : std::numeric_limits<float>::max(), packed);
    packed += packed_size<Bits>(x.size());
  }
  return true;
}

template <int Bits>
std::string decode_scaled(std::span<const std::byte> bytes, std::span<float> values) {
  const auto n = values.size();
  const auto name = "an int" + std::to_string(Bits) + " message";
  const auto bad_length = [&](const std::string& expected) {
    return name + " of " + std::to_string(bytes.size()) + " bytes for " + std::to_string(n)
           + " elements, which take " + expected;
  };
  if (bytes.size() < chunk_header)
    return bad_length("more");
  const std::size_t chunk = load<std::uint32_t>(bytes.data());
  if (chunk == 0)
    return name + " in chunks of 0 elements";
  if (const auto size = scaled_size<Bits>(n, chunk); bytes.size() != size)
    return bad_length(std::to_string(size) + " in chunks of " + std::to_string(chunk));
  const auto* scales = bytes.data() + chunk_header;
  for (std::size_t i = 0; i * chunk < n; ++i) {
    const auto scale = load<float>(scales + i * sizeof(float));
    if (!(scale >= 0 && std::isfinite(limit<Bits> * scale)))
      return name + " whose scale " + std::to_string(i) + " is negative or not finite";
  }
  const auto packed = bytes.subspan(chunk_header + scales_size(n, chunk));
  if (below_limit<Bits>(packed)) {
    const auto least = -static_cast<int>(limit<Bits>);
    return name + " with an element of " + std::to_string(least - 1) + "; the least is "
           + std::to_string(least);
  }
  const auto* from = packed.data();
  for (std::size_t begin = 0; begin < n; begin += chunk, scales += sizeof(float)) {
    const auto x = values.subspan(begin, std::min(chunk, n - begin));
    unpack_integers<Bits>(from, load<float>(scales), x);
    from += packed_size<Bits>(x.size());
  }
  return "";
}

template std::size_t scaled_size<8>(std::size_t, std::size_t);
template std::size_t scaled_size<4>(std::size_t, std::size_t);
template bool encode_scaled<8>(std::size_t, std::span<const float>, std::byte*);
template bool encode_scaled<4>(std::size_t, std::span<const float>, std::byte*);
template std::string decode_scaled<8>(std::span<const std::byte>, std::span<float>);
template std::string decode_scaled<4>(std::span<const std::byte>, std::span<float>);

} // namespace troupe
