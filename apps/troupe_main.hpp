// The program `troupe` as a function, for a program of your own that links extensions, problems or
// models to it:
//
//   #include <troupe/apps/troupe_main.hpp>
//   int main(int argc, char** argv) { return troupe::troupe_main(argc, argv); }
#pragma once

namespace troupe {

/// Parses the command line, runs a subcommand, and reports errors on standard error.
/// @returns the exit code (base/exit_codes.hpp)
int troupe_main(int argc, char** argv);

} // namespace troupe
