// The words by which processes that belong together know each other.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace troupe {

/// In the folder of a launched run's certificates: the token of its cluster.
inline constexpr const char* token_file = "token";

/// The token in the first line of a file. @throws IoError where there is none.
std::string token_of_file(const std::filesystem::path& file);

/// 128 random bits from the operating system, in hexadecimal.
/// @throws Failure where it gives none.
std::string draw_token();

/// A token as a file or a variable has it: without blanks around it, ends of lines of Windows, and
/// the mark of UTF-8 that some editors put in front.
std::string token_in(std::string_view text);

} // namespace troupe
