#pragma once

#include "base/types.hpp"

#include <vector>

namespace troupe {

/// Two sets of rows, disjoint and together complete, each in ascending order.
struct RowSplit {
  std::vector<Index> a, b;
};

/// Deals `count` of the rows 0 .. rows - 1 to `a` and the rest to `b`, by a permutation that `seed`
/// alone decides.
/// @throws std::invalid_argument unless each of both gets a row.
RowSplit split_in_two(Index rows, Index count, std::int64_t seed);

/// The same without chance: the first `count` rows, and the rest.
RowSplit split_in_ranges(Index rows, Index count);

} // namespace troupe
