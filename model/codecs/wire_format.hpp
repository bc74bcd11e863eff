// Encodes blocks of floats as bytes, exactly or compressed, and decodes them.
#pragma once

#include "base/fields.hpp"
#include "base/text/enum_names.hpp"
#include "base/types.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// The wire formats of n floats. Little-endian, no padding, no alignment:
///
///   float32    n float32
///   bfloat16   n uint16
///   float16    n uint16
///   int8       uint32 chunk, ceil(n / chunk) float32 scales, n int8 q      x = scale q
///   top_k      uint32 n, uint32 k, k uint32 indices ascending, k float32      the rest is 0
///   int4       as int8, with two q in a byte (scaled_integers.hpp)
///
/// The values are part of the wire format: never give one a new meaning.
enum class WireFormat : std::uint8_t {
  /// Exact, including the bits of a NaN.
  float32 = 0,
  /// To nearest, ties to even: relative error at most 2^-8 for every normal number. NaN stays NaN
  /// (quiet), infinity stays infinity; numbers that round beyond 3.39e38 become infinity.
  bfloat16 = 1,
  /// IEEE 754 binary16, to nearest, ties to even: relative error at most 2^-11 from 6.1e-5 to
  /// 65504, absolute error at most 2^-25 below. From 65520 infinity; NaN and infinity as above.
  float16 = 2,
  /// Each chunk is scaled by its own largest element: scale = max|x| / 127, error at most scale / 2
  /// (plus a few roundings of float32). Chunks without an element of 1.5e-36 or more arrive as
  /// zeros.
  int8 = 3,
  /// The ceil(keep n) elements of largest magnitude, exactly; among equals the lowest index.
  top_k = 4,
  /// As int8 with scale = max|x| / 7; zeros for chunks without an element of 8.2e-38 or more.
  int4 = 5,
};
/// How configurations write the values.
constexpr auto enum_names(WireFormat) {
  return name_list("float32", "bfloat16", "float16", "int8", "top_k", "int4");
}

/// As configurations write it.
std::string to_string(WireFormat format);

/// In which format blocks of parameters cross the network.
struct WireOptions {
  WireFormat format = WireFormat::float32; ///< float32, bfloat16, float16, int8, top_k or int4
  double keep = 0.05;                      ///< top_k: share of the elements that is sent, in (0, 1]
  std::int64_t chunk = 1024; ///< int8, int4: elements per scale, in [1, 2^32); fewer: more
                             ///< accurate, but longer
  TROUPE_FIELDS(format, keep, chunk);
};

/// @returns the first invalid option as a sentence; "" if all are valid
std::string defect(const WireOptions& options);

/// Whether a format suits differences only: whole parameters lose too much in it.
bool suits_differences_only(WireFormat format);

/// The format of whole parameters if pushes use `asked`: exact where that suits differences only.
WireOptions answer_format(const WireOptions& asked);

/// Bytes that `encode` makes of `n` elements, exactly. The options must be valid.
std::size_t encoded_size(const WireOptions& options, std::size_t n);

/// Replaces `out` by the bytes of `values`. Pass the same `out` again to reuse its memory.
///
/// int8, int4 and top_k refuse NaN and infinity: these have no place on a scale or in an order of
/// magnitudes, and a substitute would go unnoticed in training. The other formats pass them on, for
/// the receiver to judge.
/// @returns "", or why nothing can be encoded: an invalid option, an element that is not finite,
///          2^32 elements or more for top_k. `out` is then empty.
[[nodiscard]] std::string encode(const WireOptions& options, std::span<const float> values,
                                 std::vector<std::byte>& out);

/// Fills `values` from the bytes that `encode` made of as many elements. The bytes need not be
/// trusted: whatever they hold, only `values` are written, and int8, int4 and top_k give finite numbers.
/// Options that differ from sender to sender (`chunk`, `keep`) are part of the bytes.
/// @returns "", or the defect as a sentence; `values` are then unchanged
[[nodiscard]] std::string decode(WireFormat format, std::span<const std::byte> bytes,
                                 std::span<float> values);

} // namespace troupe
