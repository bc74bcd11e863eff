#pragma once

#include "base/types.hpp"
#include "model/formulas/activation_functions.hpp"

#include <variant>

namespace troupe {

// -- what a graphics card computes for a layer; nothing where it cannot compute that layer -------

/// The output is the input.
struct PassedOn {};

/// y = x W + 1 b', as LinearLayer.
struct LinearStage {
  Index inputs = 0, outputs = 0;
  Index weight = 0, bias = 0; ///< offsets in the block
};

struct ActivationStage {
  Activation kind = Activation::relu;
  double slope = 0; ///< of leaky_relu
};

struct DropoutStage {
  double rate = 0;
  std::uint64_t role = 0; ///< role_hash() of the layer's name, for its noise
};

/// std::monostate: a graphics card cannot compute the layer.
using DeviceStage
  = std::variant<std::monostate, PassedOn, LinearStage, ActivationStage, DropoutStage>;

} // namespace troupe
