#pragma once

#include "base/types.hpp"

#include <string>
#include <vector>

namespace troupe {

/// The characters of a text, as code points of Unicode, from UTF-8 (RFC 3629).
/// @param path of the text, for the sentence.
/// @throws DataError with line and byte where the text is not UTF-8.
std::vector<char32_t> characters_of(const std::string& text, const std::string& path);

/// In UTF-8.
std::string to_utf8(char32_t character);

/// "a", "\n", "\u00ad" where it could not be seen
std::string to_text(char32_t character);

} // namespace troupe
