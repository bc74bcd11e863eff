#pragma once

#include "model/data/problem.hpp"
#include "model/training/model.hpp"

namespace troupe {

/// @throws std::invalid_argument for a field of the problem without the batch in front, and if model
/// and problem do not fit, with the compatibility check's sentences
void check_fit(const Problem& problem, const Model& model);

} // namespace troupe
