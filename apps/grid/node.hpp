// troupe grid node: trains runs of a grid on another machine.
#pragma once

#include "apps/grid/train.hpp"

namespace troupe {

/// Offers this machine's processors to the grid until the grid has ended. @returns the exit code of
/// the program. @throws Failure if it cannot start.
int grid_node(const GridCommand& command);

} // namespace troupe
