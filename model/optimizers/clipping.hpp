#pragma once

#include "model/tensor/layout.hpp"

#include <span>

namespace troupe {

/// Moves each element into [-limit, limit]; NaN stays NaN.
/// @throws std::invalid_argument unless limit > 0
void clip_elements(std::span<float> gradient, float limit);

/// Scales the gradient so that its Euclidean norm is at most `limit`. Pascanu et al., "On the
/// difficulty of training recurrent neural networks", ICML 2013, algorithm 1.
/// @returns the norm before; if it is not finite, the gradient is unchanged
/// @throws std::invalid_argument unless limit > 0
double clip_norm(std::span<float> gradient, double limit);

/// The same for each parameter separately, as VariableClipping in Blocks.
/// @returns the norm of the whole gradient before
/// @throws std::invalid_argument unless limit > 0
double clip_parameter_norms(const Layout& layout, std::span<float> gradient, double limit);

/// The Euclidean norm, summed in double.
double norm(std::span<const float> values);

} // namespace troupe
