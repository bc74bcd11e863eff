#pragma once

#include "model/torch/torch_module.hpp"

namespace troupe {

/// Lets libtorch take its tensors' memory from the program, whose pool keeps pages that were
/// touched once, and which counts what is in use. Once for the process.
void use_memory_of(const TorchHost& host);

} // namespace troupe
