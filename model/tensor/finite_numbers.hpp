#pragma once

#include "model/tensor/layout.hpp"

#include <span>

namespace troupe {

/// True if no value is infinite or NaN. Split over the thread pool of the calling thread, if
/// any.
bool all_finite(std::span<const float> values);

/// True if a parameter's gradient, [rows, size / rows], is finite in its first row and at the
/// beginning of each row. This reads a small part of what all_finite() reads. A gradient is a sum
/// of products of a layer's input and the gradient of its output; if one of these is not finite,
/// a whole row or column is not, and shows there. A single sum that overflows may be missed.
bool edges_finite(std::span<const float> gradient, Index rows);

/// Sets every element of a gradient that is not finite to 0, as RemoveNotFinite in Blocks does.
/// @returns how many there were
Index remove_not_finite(const Layout& layout, std::span<float> gradient);

} // namespace troupe
