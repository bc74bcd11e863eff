// Another program that is asked something, and may never answer.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// What a command prints, without blanks at its end; "" where it cannot be run or fails. Its errors
/// are not shown.
/// @returns nothing where it has not ended within the limit; it is killed then.
std::optional<std::string> output_within(std::vector<std::string> command,
                                         std::chrono::milliseconds limit);

} // namespace troupe
