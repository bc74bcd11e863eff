#pragma once

#include "model/torch/torch_module.hpp"

namespace troupe {

/// Makes libtorch allocate tensors from the program's pool, which reuses mapped pages and counts
/// the memory in use. Call it once per process.
void use_memory_of(const TorchHost& host);

} // namespace troupe
