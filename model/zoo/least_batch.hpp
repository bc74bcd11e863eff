#pragma once

#include "model/training/model.hpp"

#include <string>

namespace troupe {

/// The layer that needs at least two examples in every batch of training: batch normalization
/// where an example has one place, of which nobody can tell a variance. "" where none does.
std::string layer_of_two_examples(const Model& model);

} // namespace troupe
