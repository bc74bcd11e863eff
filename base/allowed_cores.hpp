#pragma once

#include <cstddef>
#include <vector>

namespace troupe {

/// The numbers of the cores that this thread may run on, ascending. Threads and processes that it
/// starts inherit them. `taskset`, Slurm and containers allow fewer than the machine has.
std::vector<int> allowed_cores();

/// At least 1.
std::size_t count_allowed_cores();

} // namespace troupe
