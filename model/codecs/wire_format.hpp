// How a block of floats becomes bytes, exactly or shorter and nearly, and comes back.
#pragma once

#include "base/fields.hpp"
#include "base/types.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// How n floats travel. Little-endian, nothing between the parts, no alignment asked for:
///
///   float32    n float32
///   bfloat16   n uint16
///   float16    n uint16
///   int8       uint32 chunk, ceil(n / chunk) float32 scales, n int8 q      x = scale q
///   top_k      uint32 n, uint32 k, k uint32 indices ascending, k float32      the rest is 0
///
/// The numbers are part of the wire: never give one a new meaning.
enum class WireFormat : std::uint8_t {
  /// Exact, to the bits of a NaN.
  float32 = 0,
  /// To nearest, ties to even: relative error at most 2^-8 for every normal number. A NaN stays a
  /// NaN (a quiet one), an infinity itself; what rounds beyond 3.39e38 becomes infinity.
  bfloat16 = 1,
  /// IEEE 754 binary16, to nearest, ties to even: relative error at most 2^-11 from 6.1e-5 to
  /// 65504, absolute error at most 2^-25 below. From 65520 infinity; NaN and infinity as above.
  float16 = 2,
  /// Each chunk against its own largest element: scale = max|x| / 127, error at most scale / 2 (and
  /// a few roundings of float32). Chunks without an element of 1.5e-36 or more arrive as zeros.
  int8 = 3,
  /// The ceil(keep n) elements of largest magnitude, exactly; among equals the lowest index.
  top_k = 4,
};

std::string to_string(WireFormat format);
bool from_text(std::string_view text, WireFormat& format); ///< false for an unknown word

struct WireOptions {
  WireFormat format = WireFormat::float32;
  double keep = 0.01;        ///< top_k: share of the elements that travels, in (0, 1]
  std::int64_t chunk = 1024; ///< int8: elements per scale, in [1, 2^32); fewer: nearer, but longer
  FIELDS(format, keep, chunk);
};

/// @returns what of the options cannot be, as a sentence; "" where they are sound.
std::string defect(const WireOptions& options);

/// How whole parameters travel where pushes have these options: top_k and int8 are for differences.
WireOptions format_of_answers(const WireOptions& asked);

/// Bytes that `encode` makes of `n` elements, neither more nor fewer. Asks for sound options.
std::size_t encoded_size(const WireOptions& options, std::size_t n);

/// Replaces `out` by the bytes of `values`. Hand in the same `out` again and again: its memory is
/// reused.
///
/// int8 and top_k refuse NaN and infinity: neither has a place on a scale or in an order of
/// magnitudes, and whatever stood for them would train on unnoticed. The others pass them on, for
/// the receiver to judge.
/// @returns "", or in a sentence why nothing can be encoded: a defect of the options, an element
///          that is not finite, 2^32 elements or more for top_k. `out` is empty then.
[[nodiscard]] std::string encode(const WireOptions& options, std::span<const float> values,
                                 std::vector<std::byte>& out);

/// Fills `values` from what `encode` made of as many elements. The bytes may come from anywhere:
/// whatever they hold, nothing outside of `values` is touched, and what int8 and top_k give is
/// finite. What differs from sender to sender (`chunk`, `keep`) is in the bytes.
/// @returns "", or what is broken as a sentence; `values` are as they were then.
[[nodiscard]] std::string decode(WireFormat format, std::span<const std::byte> bytes,
                                 std::span<float> values);

} // namespace troupe
