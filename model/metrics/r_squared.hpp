#pragma once

#include "base/types.hpp"

#include <optional>
#include <span>
#include <vector>

namespace troupe {

/// The sums for the coefficient of determination of several targets, by column, so that parts merge
/// exactly.
class RSquared {
public:
  /// Adds rows as wide as the first ones. @pre both spans hold the same number of whole rows
  template <class Scalar>
  void add(std::span<const Scalar> predicted, std::span<const Scalar> actual, Index width);
  void merge(const RSquared& other);

  /// R2 = 1 - sum (y - p)^2 / sum (y - mean y)^2 for each column, then their mean: each target has
  /// the same weight, whatever its unit.
  /// @returns the mean over the columns whose targets vary; nothing if none varies
  std::optional<double> mean() const;

private:
  struct Column {
    double squared_error = 0, sum = 0, squares = 0; // of y - p; of y
  };
  std::vector<Column> columns_;
  Index rows_ = 0;
};

} // namespace troupe
