#pragma once

#include "model/training/model.hpp"

#include <string>

namespace troupe {

/// The layer that needs at least two examples in every training batch: batch normalization if an
/// example has one position, because a single number has no variance. "" if there is none.
std::string layer_needing_two_examples(const Model& model);

} // namespace troupe
