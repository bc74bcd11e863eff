#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace troupe {

/// For people, and as the option takes it: ",", "tab", "blanks".
std::string separator_text(char mark);

/// What an option says: one character, "tab", or "blanks".
/// @throws std::invalid_argument
char separator_of_option(const std::string& option);

/// The separator that a first line such as sep=; names, which Excel writes and reads.
std::optional<char> named_separator(std::string_view text);

} // namespace troupe
