#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace troupe {

/// The separator as text, in the syntax of the option: ",", "tab", "blanks".
std::string separator_text(char mark);

/// Parses the option: one character, "tab", or "blanks".
/// @throws std::invalid_argument for other texts
char separator_of_option(const std::string& option);

/// The separator in a first line such as sep=; as Excel reads and writes it.
std::optional<char> named_separator(std::string_view text);

} // namespace troupe
