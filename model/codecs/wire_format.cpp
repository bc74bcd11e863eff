#include "model/codecs/wire_format.hpp"

#include "model/codecs/half_floats.hpp"
#include "model/codecs/scaled_integers.hpp"
#include "model/codecs/top_k.hpp"

#include <algorithm>
#include <limits>

namespace troupe {

namespace {

constexpr std::size_t uint32_max = std::numeric_limits<std::uint32_t>::max();

std::size_t float_width(WireFormat format) { return format == WireFormat::float32 ? 4 : 2; }

std::size_t chunk_of(const WireOptions& options) { return static_cast<std::size_t>(options.chunk); }

std::string not_finite(WireFormat format, std::span<const float> values) {
  const auto at = std::find_if(values.begin(), values.end(),
                               [](float x) { return magnitude(x) >= infinite_magnitude; });
  return "element " + std::to_string(at - values.begin()) + " of " + std::to_string(values.size())
         + " is not finite, which " + to_string(format) + " cannot express";
}

/// @returns false if an element is not finite and the format cannot express that.
bool encode_to(const WireOptions& options, std::span<const float> values, std::byte* to) {
  const auto n = values.size();
  switch (options.format) {
  case WireFormat::float32: std::copy_n(std::as_bytes(values).data(), 4 * n, to); return true;
  case WireFormat::bfloat16: encode_bfloat16(values, to); return true;
  case WireFormat::float16: encode_float16(values, to); return true;
  case WireFormat::int8: return encode_scaled<8>(chunk_of(options), values, to);
  case WireFormat::int4: return encode_scaled<4>(chunk_of(options), values, to);
  case WireFormat::top_k: return encode_top_k(top_k_count(options.keep, n), values, to);
  }
  return false;
}

} // namespace

std::string to_string(WireFormat format) {
  constexpr auto names = enum_names(WireFormat{});
  const auto i = static_cast<std::size_t>(format);
  return std::string{i < names.size() ? names[i] : "unknown format"};
}

std::string defect(const WireOptions& options) {
  if (options.format > WireFormat::int4)
    return "there is no wire format " + std::to_string(static_cast<int>(options.format));
  if (!(options.keep > 0 && options.keep <= 1))
    return "top_k cannot keep a share of " + std::to_string(options.keep)
           + " of the elements; it must be greater than 0 and at most 1";
  if (options.chunk < 1 || options.chunk > static_cast<std::int64_t>(uint32_max))
    return "int8 and int4 cannot use chunks of " + std::to_string(options.chunk)
           + " elements; it must be from 1 to " + std::to_string(uint32_max);
  return "";
}

bool suits_differences_only(WireFormat format) {
  return format == WireFormat::int8 || format == WireFormat::top_k || format == WireFormat::int4;
}

WireOptions answer_format(const WireOptions& asked) {
  WireOptions options = asked;
  if (suits_differences_only(asked.format))
    options.format = WireFormat::float32;
  return options;
}

std::size_t encoded_size(const WireOptions& options, std::size_t n) {
  switch (options.format) {
  case WireFormat::float32:
  case WireFormat::bfloat16:
  case WireFormat::float16: return n * float_width(options.format);
  case WireFormat::int8: return scaled_size<8>(n, chunk_of(options));
  case WireFormat::int4: return scaled_size<4>(n, chunk_of(options));
  case WireFormat::top_k: return top_k_size(top_k_count(options.keep, n));
  }
  return 0;
}

std::string encode(const WireOptions& options, std::span<const float> values,
                   std::vector<std::byte>& out) {
  auto sentence = defect(options);
  const auto n = values.size();
  if (options.format == WireFormat::top_k && n > uint32_max)
    sentence = "top_k has no index for " + std::to_string(n) + " elements";
  if (sentence.empty()) {
    out.resize(encoded_size(options, n)); // without clear(), which would zero-fill it
    if (!encode_to(options, values, out.data()))
      sentence = not_finite(options.format, values);
  }
  if (!sentence.empty())
    out.clear();
  return sentence;
}

std::string decode(WireFormat format, std::span<const std::byte> bytes, std::span<float> values) {
  if (format == WireFormat::int8)
    return decode_scaled<8>(bytes, values);
  if (format == WireFormat::int4)
    return decode_scaled<4>(bytes, values);
  if (format == WireFormat::top_k)
    return decode_top_k(bytes, values);
  if (format > WireFormat::int4)
    return defect({.format = format});
  const auto expected = values.size() * float_width(format);
  if (bytes.size() != expected)
    return "a " + to_string(format) + " message of " + std::to_string(bytes.size()) + " bytes for "
           + std::to_string(values.size()) + " elements, which take " + std::to_string(expected);
  if (format == WireFormat::bfloat16)
    decode_bfloat16(bytes.data(), values);
  else if (format == WireFormat::float16)
    decode_float16(bytes.data(), values);
  else
    std::copy_n(bytes.data(), bytes.size(), std::as_writable_bytes(values).data());
  return "";
}

} // namespace troupe
