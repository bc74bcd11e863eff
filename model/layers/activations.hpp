#pragma once

#include "model/layers/layer.hpp"

#include <vector>

namespace troupe {

std::vector<std::string> activation_names(); ///< "relu", "tanh", "sigmoid", "leaky_relu", "silu"

/// @throws std::invalid_argument, listing the known names, for another name
template <class Scalar>
std::unique_ptr<Layer<Scalar>> make_activation(const std::string& name);

} // namespace troupe
