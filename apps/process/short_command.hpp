// Runs another program that may hang.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// The output of a command, without trailing whitespace; "" if it cannot be run or fails. Its
/// stderr is discarded.
/// @returns nothing if it has not ended within the limit; it is killed then.
std::optional<std::string> output_within(std::vector<std::string> command,
                                         std::chrono::milliseconds limit);

} // namespace troupe
