#pragma once

#include "base/types.hpp"

#include <string>
#include <vector>

namespace troupe {

/// Decodes UTF-8 (RFC 3629) to code points.
/// @param path of the text, for messages
/// @throws DataError with line and byte if the text is not UTF-8
std::vector<char32_t> characters_of(const std::string& text, const std::string& path);

/// Encodes as UTF-8.
std::string to_utf8(char32_t character);

/// For display: "a", "
/// ", "\u00ad" for characters that are not visible
std::string to_text(char32_t character);

} // namespace troupe
