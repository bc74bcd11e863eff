// Where characters begin and end in UTF-8 (RFC 3629).
#pragma once

#include <cstddef>
#include <string_view>

namespace troupe {

/// How many bytes the character that begins at `at` has, 1 to 4. @returns 0 where none does: a byte
/// that begins none, one that is cut off or written too long, half of a pair of UTF-16, one beyond
/// Unicode.
/// @param at below the text's size
std::size_t utf8_length(std::string_view text, std::size_t at);

/// @returns the first byte that is no UTF-8, or npos.
std::size_t find_invalid_utf8(std::string_view text);

} // namespace troupe
