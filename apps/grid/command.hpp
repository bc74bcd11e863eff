// troupe grid: trains, tests and compares many configurations.
#pragma once

#include "apps/grid/train.hpp"

#include <CLI/CLI.hpp>

namespace troupe {

/// Describes the subcommand to the command line.
void add_grid(CLI::App& app, GridCommand& command);

/// @returns the exit code of the program. @throws Failure for what cannot begin.
int grid(const GridCommand& command);

} // namespace troupe
