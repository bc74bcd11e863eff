#pragma once

#include "model/data/problem.hpp"

namespace troupe {

/// Whether the problem gives the same examples when training rows are asked for again, and in
/// another order. Where it shuffles by itself, or reads on instead of reading the rows, the shards
/// of several workers are neither disjoint nor complete.
///
/// Reads some rows twice. True where they cannot be read: whoever trains on them says why.
bool rereads_alike(const Problem& problem);

} // namespace troupe
