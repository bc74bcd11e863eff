// Explains common mistakes in YAML better than the parser does.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace troupe::config {

/// The mistake behind a parser's message, with the cure; the parser's own message if it is not a
/// common one.
/// @param text that was parsed
/// @param line from 1, where the parser stopped
/// @param message of yaml-cpp
std::string yaml_mistake(std::string_view text, std::size_t line, const std::string& message);

} // namespace troupe::config
