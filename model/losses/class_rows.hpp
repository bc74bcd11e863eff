// Helpers for losses on classes.
#pragma once

#include "model/losses/loss.hpp"

namespace troupe {

/// @param masked whether `masked_class` marks a row that does not count
/// @throws std::invalid_argument, naming `loss`, unless there is a class for each row and within
///         its length
template <class Scalar>
void check_classes(const Loss<Scalar>& loss, const Comparison<Scalar>& comparison, bool masked);

/// The index of the largest number of a row, the first among equals: the predicted class. The row's
/// length, which stands for no class, where one of the numbers is NaN.
template <class Scalar>
Index predicted_class(std::span<const Scalar> row);

/// The number of rows whose class is predicted correctly.
template <class Scalar>
double correct_rows(const Comparison<Scalar>& comparison);

} // namespace troupe
