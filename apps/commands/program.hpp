#pragma once

namespace troupe {

/// The program `troupe`: reads the command line, hands over to a subcommand, and says on standard
/// error what went wrong.
/// @returns the exit code (exit_codes.hpp)
int run_program(int argc, char** argv);

} // namespace troupe
