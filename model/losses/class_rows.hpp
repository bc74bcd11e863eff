// What the losses on classes share.
#pragma once

#include "model/losses/loss.hpp"

namespace troupe {

/// @param masked whether masked_class stands for a row that does not count
/// @throws std::invalid_argument, in the name of `loss`, where there is not a class for each row,
/// or one that the row does not have.
template <class Scalar>
void check_classes(const Loss<Scalar>& loss, const Comparison<Scalar>& comparison, bool masked);

/// Where the largest number of a row is, the first one of equal ones: the class predicted. None, as
/// which the row's length stands, where one of them is NaN.
template <class Scalar>
Index predicted_class(std::span<const Scalar> row);

/// How many rows have their class predicted.
template <class Scalar>
double right_rows(const Comparison<Scalar>& comparison);

} // namespace troupe
