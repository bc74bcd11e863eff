#pragma once

#include "model/tensor/block.hpp"

namespace troupe {

/// A model's parameters, without the optimizers' shared state that may lie behind them in what
/// workers share.
/// @param parameters how many floats they are
/// @returns `shared` itself, not a copy, where nothing lies behind them.
Block parameters_in(const Block& shared, Index parameters);

} // namespace troupe
