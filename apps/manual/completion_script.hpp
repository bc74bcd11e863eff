// Completion of command lines by shells, made from the description of the command line.
#pragma once

#include "apps/manual/command_description.hpp"

#include <string>
#include <vector>

namespace troupe {

/// The shells for which there are scripts: "bash", "fish", "zsh".
const std::vector<std::string>& completed_shells();

/// @returns a script that completes commands, options and values with a fixed choice, and files
/// elsewhere. @throws std::invalid_argument for another shell
std::string completion_script(const CommandDescription& program, const std::string& shell);

} // namespace troupe
