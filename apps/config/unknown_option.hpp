// What was meant by an option that a subcommand does not have.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace troupe {

/// A sentence about the first of the arguments that a command line has too many: the key of the
/// configuration that was meant, as in `--epochs 3`, the nearest option, or the subcommand that has
/// it.
/// @param command that was named, of the program `app`
/// @param rest arguments that it does not take
/// @param all of the command line, where the value of an option stands behind it
std::string unknown_option(const CLI::App& app, const CLI::App& command,
                           const std::vector<std::string>& rest,
                           const std::vector<std::string>& all);

} // namespace troupe
