#pragma once

#include "model/data/problem.hpp"
#include "model/data/section_sample.hpp"

#include <string>

namespace troupe {

/// How the rows of a file are dealt to the sections.
struct SplitOptions {
  std::string split = "random"; ///< random, or ordered: the first rows are to train on, the last
                                ///< ones to test on, those between to validate
  double validation_fraction = 0.1; ///< of the rows, 0 .. 1
  double test_fraction = 0.1;       ///< of the rows, 0 .. 1
  std::int64_t split_seed = 0;      ///< of `random`: decides which row goes where
};

/// Which rows of a file belong to which section; disjoint and together complete. Each section has
/// its rows in the order of the file.
struct Split {
  std::vector<Index> train, validation, test;

  const std::vector<Index>& of(Section section) const;
  std::vector<Index>& of(Section section);
};

/// @throws std::invalid_argument where `split` is neither random nor ordered, a fraction is not in
/// [0, 1) or no row is left to train on. Fractions are rounded to whole rows.
Split split_rows(Index rows, const SplitOptions& options);

/// Takes the options of that name of a problem.
template <class Options>
SplitOptions split_options(const Options& options) {
  return {options.split, options.validation_fraction, options.test_fraction, options.split_seed};
}

/// The rows of the file that are trained on. @param choose null: those of the training section
std::vector<Index> trained_rows(const Split& split, const ChooseTrainingRows& choose);

/// The rows of `section` that a caller of gather asks for, as rows of the file.
/// @throws std::out_of_range for a row that the section does not have.
Index row_of_file(const std::vector<Index>& section, Index row);

/// Makes `batch` as `spec` says, with `examples` rows; the memory is reused.
void resize(Batch& batch, const DataSpec& spec, Index examples);

} // namespace troupe
