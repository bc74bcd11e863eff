#pragma once

#include "base/types.hpp"

#include <optional>
#include <span>
#include <vector>

namespace troupe {

/// What the coefficient of determination of several targets needs: sums for each column, so that
/// parts merge exactly.
class Determination {
public:
  /// Adds rows as wide as the first ones that came. @pre both spans hold the same whole rows
  template <class Scalar>
  void add(std::span<const Scalar> predicted, std::span<const Scalar> actual, Index width);
  void merge(const Determination& other);

  /// R2 = 1 - sum (y - p)^2 / sum (y - mean y)^2 of each column by itself, and then their mean:
  /// each target weighs the same, whatever its unit.
  /// @returns the mean over the columns whose targets vary; none where no column's do.
  std::optional<double> mean() const;

private:
  struct Column {
    double squared_error = 0, sum = 0, squares = 0; // of y - p; of y
  };
  std::vector<Column> columns_;
  Index rows_ = 0;
};

} // namespace troupe
