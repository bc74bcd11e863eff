// Reads and writes numbers as bytes, and numbers as bits: shared by the codecs.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace troupe {

// Numbers are copied between memory and wire without conversion.
static_assert(std::endian::native == std::endian::little);

/// Reads a number from any address: bytes off the wire are not aligned.
template <class T>
T load(const std::byte* from) {
  T x;
  std::memcpy(&x, from, sizeof x);
  return x;
}

template <class T>
void store(std::byte* to, T x) {
  std::memcpy(to, &x, sizeof x);
}

/// The bits of |x|. As integers they are ordered as the magnitudes are, NaN last, and loops over
/// them vectorise, which loops over floats do not because of NaN.
inline std::int32_t magnitude(float x) { return std::bit_cast<std::int32_t>(x) & 0x7fffffff; }

/// The magnitude of infinity; greater ones belong to NaN.
inline constexpr std::int32_t infinite_magnitude = 0x7f800000;

} // namespace troupe
