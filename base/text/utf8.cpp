#include "base/text/utf8.hpp"

#include <cstdint>
#include <cstring>

namespace troupe {

namespace {

/// The end of the ASCII characters that begin at `at`, or a little before.
std::size_t skip_ascii(std::string_view text, std::size_t at) {
  for (std::uint64_t eight = 0; at + sizeof eight <= text.size(); at += sizeof eight) {
    std::memcpy(&eight, text.data() + at, sizeof eight);
    if ((eight & 0x8080808080808080U) != 0)
      break;
  }
  return at;
}

} // namespace

std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [text](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const auto lead = byte(at);
  const std::size_t length = lead < 0x80   ? 1
                             : lead < 0xC2 ? 0
                             : lead < 0xE0 ? 2
                             : lead < 0xF0 ? 3
                             : lead < 0xF5 ? 4
                                           : 0;
  // The second byte's range excludes overlong forms, surrogates and what lies beyond U+10FFFF.
  const unsigned least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const unsigned most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  for (std::size_t k = 1; k < length; ++k)
    if (byte(at + k) < (k == 1 ? least : 0x80u) || byte(at + k) > (k == 1 ? most : 0xBFu))
      return 0;
  return length;
}

std::size_t find_invalid_utf8(std::string_view text) {
  for (auto i = skip_ascii(text, 0); i < text.size(); i = skip_ascii(text, i)) {
    const auto length = utf8_length(text, i);
    if (length == 0)
      return i;
    i += length;
  }
  return std::string_view::npos;
}

} // namespace troupe
