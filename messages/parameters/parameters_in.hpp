#pragma once

#include "model/tensor/block.hpp"

namespace troupe {

/// A model's parameters, without the optimizers' state that may follow them in what workers share.
/// @param parameters number of floats of the model
/// @returns `shared` itself, not a copy, if nothing follows them.
Block parameters_in(const Block& shared, Index parameters);

} // namespace troupe
