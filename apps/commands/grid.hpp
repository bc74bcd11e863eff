// troupe grid: trains, tests and compares many configurations.
#pragma once

#include "apps/grid/train.hpp"

#include <CLI/CLI.hpp>

namespace troupe {

/// Declares the subcommand.
void add_grid(CLI::App& app, GridCommand& command);

/// @returns the exit code of the program. @throws Failure if it cannot start.
int grid(const GridCommand& command);

} // namespace troupe
