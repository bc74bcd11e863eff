#pragma once

#include "model/tensor/layout.hpp"

#include <span>

namespace troupe {

/// Whether none of them is infinite or NaN. Split over the team that is lent to this thread.
bool all_finite(std::span<const float> values);

/// Whether a parameter's gradient, [rows, size / rows], is finite in its first row and at the
/// beginning of each row: a small part of what all_finite() reads. A gradient is a sum of products
/// of what comes into a layer and what comes back to it; where one of these is not finite, a whole
/// row or column is not, and shows there. A sum that overflows by itself may not.
bool edges_finite(std::span<const float> gradient, Index rows);

/// Sets each parameter's gradient to 0 that is not finite; Blocks' RemoveNotFinite.
/// @returns how many there were.
Index remove_not_finite(const Layout& layout, std::span<float> gradient);

} // namespace troupe
