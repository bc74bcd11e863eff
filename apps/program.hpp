#pragma once

namespace troupe {

/// The program `troupe`: parses the command line, runs a subcommand, and reports errors on standard
/// error.
/// @returns the exit code (exit_codes.hpp)
int run_program(int argc, char** argv);

} // namespace troupe
