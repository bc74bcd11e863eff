// How cells of a table look: their blanks, and what they look like in a sentence.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace troupe {

/// How many bytes the blank that begins at `at` has, 0 where none does. No-break, thin and figure
/// spaces are blanks, too.
std::size_t blank_length(std::string_view text, std::size_t at);

/// The text without blanks at its ends.
std::string_view without_blanks(std::string_view text);

/// The text on one line, for a sentence or a listing: line ends and tabs as \n and \t, and the
/// beginning only where it is long.
std::string escaped_text(std::string_view text);

/// escaped_text in double quotes.
std::string shown_cell(std::string_view text);

} // namespace troupe
