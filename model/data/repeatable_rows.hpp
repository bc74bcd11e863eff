#pragma once

#include "model/data/problem.hpp"

namespace troupe {

/// True if the problem gives the same examples when training rows are read again in another
/// order. A problem that shuffles by itself, or ignores the rows it is asked for, gives workers
/// shards that are neither disjoint nor complete.
///
/// Reads some rows twice. True if they cannot be read: training reports that.
bool has_repeatable_rows(const Problem& problem);

} // namespace troupe
