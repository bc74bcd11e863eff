// What people write that YAML does not take, in other words than the parser's.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace troupe::config {

/// The mistake that a parser's sentence comes from, with the cure; the parser's own sentence where
/// it is none of the usual ones.
/// @param text that was parsed
/// @param line from 1, where the parser stopped
/// @param message of yaml-cpp
std::string yaml_mistake(std::string_view text, std::size_t line, const std::string& message);

} // namespace troupe::config
