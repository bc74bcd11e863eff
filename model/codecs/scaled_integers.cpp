#include "model/codecs/scaled_integers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace troupe {

namespace {

constexpr std::size_t int8_header = sizeof(std::uint32_t); ///< bytes: the chunk size

/// max|x| / 127; 0 if that is subnormal, because ComputeScope would flush it.
float scale_of(float largest) {
  const auto scale = largest / 127;
  if (scale < std::numeric_limits<float>::min())
    return 0;
  return std::isinf(127 * scale) ? std::nextafter(scale, 0.0f) : scale;
}

std::string bad_length(std::size_t bytes, std::size_t n, const std::string& expected) {
  return "an int8 message of " + std::to_string(bytes) + " bytes for " + std::to_string(n)
         + " elements, which take " + expected;
}

} // namespace

std::size_t int8_size(std::size_t n, std::size_t chunk) {
  return int8_header + (n / chunk + (n % chunk != 0)) * sizeof(float) + n;
}

bool encode_int8(std::size_t chunk, std::span<const float> values, std::byte* to) {
  const auto n = values.size();
  auto* scales = to + int8_header;
  auto* codes = to + (int8_size(n, chunk) - n);
  store(to, static_cast<std::uint32_t>(chunk));
  for (std::size_t begin = 0; begin < n; begin += chunk, scales += sizeof(float)) {
    const auto* x = values.data() + begin;
    auto* q = codes + begin;
    const auto length = std::min(chunk, n - begin);
    std::int32_t largest = 0;
    for (std::size_t i = 0; i < length; ++i)
      largest = std::max(largest, magnitude(x[i]));
    if (largest >= infinite_magnitude)
      return false;
    const auto scale = scale_of(std::bit_cast<float>(largest));
    store(scales, scale);
    const auto divisor = scale > 0 ? scale : std::numeric_limits<float>::max();
    // The last place of a float near 1.5 * 2^23 is 1: the sum rounds to an integer, ties to even,
    // whose low byte is q. Unlike a library call it vectorises everywhere.
    for (std::size_t i = 0; i < length; ++i)
      q[i] = static_cast<std::byte>(std::bit_cast<std::uint32_t>(x[i] / divisor + 0x1.8p23f));
  }
  return true;
}

std::string decode_int8(std::span<const std::byte> bytes, std::span<float> values) {
  const auto n = values.size();
  if (bytes.size() < int8_header)
    return bad_length(bytes.size(), n, "more");
  const std::size_t chunk = load<std::uint32_t>(bytes.data());
  if (chunk == 0)
    return "an int8 message in chunks of 0 elements";
  if (bytes.size() != int8_size(n, chunk))
    return bad_length(bytes.size(), n,
                      std::to_string(int8_size(n, chunk)) + " in chunks of "
                        + std::to_string(chunk));
  const auto* scales = bytes.data() + int8_header;
  const auto* codes = bytes.data() + (bytes.size() - n);
  for (std::size_t i = 0; i * chunk < n; ++i) {
    const auto scale = load<float>(scales + i * sizeof(float));
    if (!(scale >= 0 && std::isfinite(127 * scale)))
      return "an int8 message whose scale " + std::to_string(i) + " is negative or not finite";
  }
  std::int8_t least = 0;
  for (std::size_t i = 0; i < n; ++i)
    least = std::min(least, static_cast<std::int8_t>(codes[i]));
  if (least < -127) // -128 times the largest scale would be infinite
    return "an int8 message with an element of -128; the least is -127";
  for (std::size_t begin = 0; begin < n; begin += chunk, scales += sizeof(float)) {
    const auto scale = load<float>(scales);
    const auto length = std::min(chunk, n - begin);
    const auto* q = codes + begin;
    auto* x = values.data() + begin;
    for (std::size_t i = 0; i < length; ++i)
      x[i] = scale * static_cast<float>(static_cast<std::int8_t>(q[i]));
  }
  return "";
}

} // namespace troupe
