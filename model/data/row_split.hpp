#pragma once

#include "base/types.hpp"

#include <vector>

namespace troupe {

/// Two disjoint sets that together contain all rows, each in ascending order.
struct RowSplit {
  std::vector<Index> a, b;
};

/// Puts `count` of the rows 0 .. rows - 1 into `a` and the rest into `b`, by a permutation that
/// depends on `seed` only.
/// @throws std::invalid_argument unless both get at least one row
RowSplit split_in_two(Index rows, Index count, std::int64_t seed);

/// The same in order: the first `count` rows, and the rest.
RowSplit split_in_ranges(Index rows, Index count);

} // namespace troupe
