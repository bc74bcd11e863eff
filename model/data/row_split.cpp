#include "model/data/row_split.hpp"

#include "model/tensor/random.hpp"

#include <stdexcept>
#include <string>

namespace troupe {

namespace {

/// @param in_a whether a row goes to `a`
template <class InA>
RowSplit deal_rows(Index rows, Index count, InA in_a) {
  if (rows < 2)
    throw std::invalid_argument("there are " + std::to_string(rows)
                                + " rows, too few for two parts; give at least 2");
  if (count < 1 || count >= rows)
    throw std::invalid_argument("the first part is " + std::to_string(count) + " of "
                                + std::to_string(rows) + " rows; give a number from 1 to "
                                + std::to_string(rows - 1));
  RowSplit split;
  for (Index row = 0; row < rows; ++row)
    (in_a(row) ? split.a : split.b).push_back(row);
  return split;
}

} // namespace

RowSplit split_in_two(Index rows, Index count, std::int64_t seed) {
  const Permutation shuffled(rows, RandomKey{static_cast<std::uint64_t>(seed)}.derive("two parts"));
  return deal_rows(rows, count, [&](Index row) { return shuffled(row) < count; });
}

RowSplit split_in_ranges(Index rows, Index count) {
  return deal_rows(rows, count, [count](Index row) { return row < count; });
}

} // namespace troupe
