// Boundaries of characters in UTF-8 (RFC 3629).
#pragma once

#include <cstddef>
#include <string_view>

namespace troupe {

/// The byte order mark that some editors write at the beginning of a file.
inline constexpr std::string_view utf8_mark = "\xEF\xBB\xBF";

inline std::string_view without_utf8_mark(std::string_view text) {
  return text.starts_with(utf8_mark) ? text.substr(utf8_mark.size()) : text;
}

/// The length in bytes, 1 to 4, of the character that begins at `at`. @returns 0 if none begins
/// there: a continuation byte, a character that is cut off or overlong, half of a UTF-16 pair, or a
/// code point beyond Unicode.
/// @param at less than the text's size
std::size_t utf8_length(std::string_view text, std::size_t at);

/// @returns the position of the first byte that is not UTF-8, or npos
std::size_t find_invalid_utf8(std::string_view text);

} // namespace troupe
