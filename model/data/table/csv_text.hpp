// Blanks in cells, and cells in messages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace troupe {

/// The length in bytes of the blank that begins at `at`, 0 if there is none. No-break, thin and
/// figure spaces are blanks too.
std::size_t blank_length(std::string_view text, std::size_t at);

/// The text without blanks at its ends.
std::string_view without_blanks(std::string_view text);

/// The text on one line, for messages: line ends and tabs become
///  and \t, and a long text is cut.
std::string escaped_text(std::string_view text);

/// escaped_text in double quotes.
std::string shown_cell(std::string_view text);

} // namespace troupe
