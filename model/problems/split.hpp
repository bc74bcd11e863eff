#pragma once

#include "troupe/model/problem.hpp"

namespace troupe {

/// Which rows of a file belong to which section; disjoint and together complete.
struct Split {
  std::vector<Index> train, validation, test;

  const std::vector<Index>& of(Section section) const;
};

/// Deals out the rows 0 .. rows - 1 at random, by a permutation that `seed` alone decides.
/// @param validation,test fractions of all rows, rounded to whole rows; the rest is for training.
/// @throws std::invalid_argument where a fraction is not in [0, 1) or no row is left to train on.
Split split_rows(Index rows, double validation, double test, std::int64_t seed);

/// The rows of `section` that a caller of gather asks for, as rows of the file.
/// @throws std::out_of_range for a row that the section does not have.
Index row_of_file(const std::vector<Index>& section, Index row);

/// Makes `batch` as `spec` says, with `examples` rows; the memory is reused.
void resize(Batch& batch, const DataSpec& spec, Index examples);

} // namespace troupe
