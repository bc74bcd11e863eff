#pragma once

#include "model/data/problem.hpp"
#include "model/data/section_sample.hpp"

#include <string>

namespace troupe {

/// How the rows of a file are split into sections.
struct SplitOptions {
  std::string split = "random"; ///< random, or ordered: the first rows are for training, the last
                                ///< ones for testing, those between for validation
  double validation_fraction = 0.1; ///< of the rows, 0 .. 1
  double test_fraction = 0.1;       ///< of the rows, 0 .. 1
  std::int64_t split_seed = 0;      ///< for `random`: determines which row goes where
};

/// The rows of each section of a file; disjoint and together complete. Each section keeps the order
/// of the file.
struct Split {
  std::vector<Index> train, validation, test; ///< rows of the file, from 0

  /// The rows of a section.
  const std::vector<Index>& of(Section section) const;
  /// The rows of a section, to be changed.
  std::vector<Index>& of(Section section);
};

/// @throws std::invalid_argument if `split` is neither random nor ordered, a fraction is not in
///         [0, 1), or no row is left for training. Fractions are rounded to whole rows.
Split split_rows(Index rows, const SplitOptions& options);

/// Copies the split options of a problem.
template <class Options>
SplitOptions split_options(const Options& options) {
  return {options.split, options.validation_fraction, options.test_fraction, options.split_seed};
}

/// The training rows of the file. @param choose null: those of the training section
std::vector<Index> trained_rows(const Split& split, const ChooseTrainingRows& choose);

/// The row of the file for a row of `section`.
/// @throws std::out_of_range for a row that the section does not have
Index row_of_file(const std::vector<Index>& section, Index row);

/// Resizes `batch` to `examples` rows as `spec` says, reusing its memory.
void resize(Batch& batch, const DataSpec& spec, Index examples);

} // namespace troupe
