#include "model/data/text/characters.hpp"

#include "base/failure.hpp"
#include "base/text/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace troupe {

namespace {

/// @returns the character that begins at `at` and moves `at` after it; -1 for invalid UTF-8
std::int64_t next_character(const std::string& text, std::size_t& at) {
  const auto bytes = utf8_length(text, at);
  if (bytes == 0)
    return -1;
  const auto first = static_cast<unsigned char>(text[at]);
  std::int64_t character = bytes == 1 ? first : first & (0x7f >> bytes);
  for (std::size_t i = 1; i < bytes; ++i)
    character = character << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3f);
  at += bytes;
  return character;
}

} // namespace

std::vector<char32_t> characters_of(const std::string& text, const std::string& path) {
  std::vector<char32_t> characters;
  characters.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto character = next_character(text, at);
    if (character < 0) {
      const auto code = fmt::format("0x{:02x}", static_cast<unsigned char>(text[at]));
      throw DataError(
        path + ", line "
        + std::to_string(1 + std::count(text.begin(), text.begin() + long(at), '\n')) + ", byte "
        + std::to_string(at) + ": found " + code
        + ", expected a character in UTF-8; convert the file, for example with iconv");
    }
    characters.push_back(static_cast<char32_t>(character));
  }
  return characters;
}

std::string to_utf8(char32_t character) {
  const auto c = static_cast<std::uint32_t>(character);
  const auto tail = [c](int shift) { return static_cast<char>(0x80 | (c >> shift & 0x3f)); };
  if (c < 0x80)
    return {static_cast<char>(c)};
  if (c < 0x800)
    return {static_cast<char>(0xc0 | c >> 6), tail(0)};
  if (c < 0x10000)
    return {static_cast<char>(0xe0 | c >> 12), tail(6), tail(0)};
  return {static_cast<char>(0xf0 | c >> 18), tail(12), tail(6), tail(0)};
}

std::string to_text(char32_t character) {
  const auto c = static_cast<std::uint32_t>(character);
  if (c == '\n')
    return "\\n";
  if (c == '\t')
    return "\\t";
  if (c < 0x20 || (c >= 0x7f && c < 0xa1) || c == 0xad)
    return fmt::format("\\u{:04x}", c);
  return to_utf8(character);
}

} // namespace troupe
