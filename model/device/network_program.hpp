#pragma once

#include "model/device/step_program.hpp"
#include "model/zoo/network.hpp"

namespace troupe {

/// The operations of a network for batches of a size: of a training step, or of a prediction only.
/// @throws std::invalid_argument for a layer or loss that a graphics card cannot compute, with a
///         sentence that names it and the cure
StepProgram network_program(const Network& network, Index batch, bool training);

/// The model as a network. @throws std::invalid_argument for another kind of model
const Network& network_for_device(const Model& model);

} // namespace troupe
