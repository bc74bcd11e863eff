// troupe grid analyze: the results of a grid in one table, and a report.
#pragma once

#include "apps/grid/train.hpp"

namespace troupe {

/// Writes the table of a grid, and a report next to it. @returns the exit code of the program.
/// @throws Failure if it cannot start.
int grid_analyze(const GridCommand& command);

} // namespace troupe
