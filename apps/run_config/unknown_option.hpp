// Suggestions for an option that a subcommand does not have.
#pragma once

#include <string>
#include <vector>

namespace CLI { // NOLINT(readability-identifier-naming): the library's name
class App;
}

namespace troupe {

/// A sentence about the first surplus argument of a command line: the configuration key that was
/// meant, as in `--epochs 3`, the nearest option, or the subcommand that has it.
/// @param command the named subcommand of the program `app`
/// @param rest arguments that it does not take
/// @param all arguments of the command line, where the value of an option follows it
std::string unknown_option(const CLI::App& app, const CLI::App& command,
                           const std::vector<std::string>& rest,
                           const std::vector<std::string>& all);

} // namespace troupe
