// The secret by which processes of a cluster recognise each other.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace troupe {

/// In the certificate folder of a launched run: the token of its cluster.
inline constexpr const char* token_file = "token";

/// The token in the first line of a file. @throws IoError if there is none.
std::string token_of_file(const std::filesystem::path& file);

/// 128 random bits from the operating system, in hexadecimal.
/// @throws Failure if the system gives none.
std::string draw_token();

/// Extracts a token from the text of a file or variable: without surrounding blanks, Windows line
/// ends, and the UTF-8 mark that some editors write.
std::string token_in(std::string_view text);

/// The secret that all processes of a cluster share, TROUPE_TOKEN; "": none.
std::string cluster_token();

} // namespace troupe
