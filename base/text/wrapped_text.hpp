// Text for people in lines that fit on a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace troupe {

/// The columns that a text takes: bytes that go on with a character of UTF-8, and escape sequences
/// of colours, take none.
std::size_t columns_of(std::string_view text);

/// The text in lines of at most `columns`: a line ends behind a separator, or at a blank where what
/// lies between two separators is longer than a line.
/// @param separator like ";", which a blank follows
/// @param indent before each line but the first
std::string wrapped(const std::string& text, const std::string& separator, std::size_t columns,
                    const std::string& indent = "");

} // namespace troupe
