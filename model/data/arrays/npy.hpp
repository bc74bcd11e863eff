#pragma once

#include "model/data/fitted_problem.hpp"
#include "model/data/problem.hpp"
#include "model/data/split.hpp"
#include "model/formats/npy_reader.hpp"

namespace troupe {

/// The options of the problem `npy`.
struct NpyOptions {
  std::string inputs = {};          ///< "x.npy", or "data.npz:x" for the array x of an archive
  std::string targets = {};         ///< likewise, with as many rows
  std::string split = "random";     ///< random, ordered: split.hpp
  double validation_fraction = 0.1; ///< of the rows, 0 .. 1
  double test_fraction = 0.1;       ///< of the rows, 0 .. 1
  std::int64_t split_seed = 0;      ///< determines which row belongs to which section
  TROUPE_FIELDS(inputs, targets, split, validation_fraction, test_fraction, split_seed);
};

/// Arrays saved by NumPy; their first dimension is the examples. Numbers must be finite.
///
/// The inputs of a plain .npy file, row-major, are read from the file batch by batch. If it is
/// written meanwhile, the next batch is refused; mapped_file.hpp says what is not noticed. Targets
/// and all other inputs are kept in memory.
///
///   inputs   float32      [any, ...]  as in the file; [any, 1] if that has one dimension
///   targets  class_index  [any, ...]  if the file holds integers: classes up to the largest
///                                     one, -1 is masked; [any] if each row of [any, classes]
///                                     has one 1 and only 0 otherwise (one-hot)
///            float32      [any, ...]  if it holds floats; also [any, 1]
class Npy : public Problem, public FittedProblem {
public:
  /// @param fit of the arrays of an earlier run, from `fit`: it gives the classes
  /// @throws std::invalid_argument for invalid options; IoError, DataError for the files
  explicit Npy(const NpyOptions& options, const std::string& fit = "");

  std::string name() const override { return "npy"; }
  const DataSpec& spec() const override { return spec_; }
  Index size(Section section) const override {
    return static_cast<Index>(split_.of(section).size());
  }
  /// {"problem": "npy", "data": "0f3a9c01", "class_count": 3}; 0 for a regression
  std::string fit() const override;
  /// The number of masked targets: it warns users for whom -1 means something else.
  std::vector<std::string> reading_notes() const override;

  /// @throws std::out_of_range for a row that the section does not have; DataError if the file of
  ///         the inputs was written since it was opened
  void gather(Section section, std::span<const Index> rows, Batch& batch) const override;

private:
  /// @throws DataError for a class that the fit does not have
  void check_known(const NpyArray& targets, const std::string& path) const;

  DataSpec spec_;
  Index classes_ = 0; // from the fit
  std::string data_;  // checksum of both arrays
  std::optional<NpyRows> inputs_;
  Buffer<float> targets_; // row-major
  Split split_;
  Index masked_ = 0;
  bool one_hot_ = false; // the file has a number per class
};

} // namespace troupe
