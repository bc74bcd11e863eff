// Which file a run of  model: {name: torch, file: net.pt}  has begun with.
#pragma once

#include "base/config/node.hpp"

namespace troupe {

/// Records the fingerprint of the model's file in a configuration that has none yet, so that a
/// resumed or repeated run uses the same module. A file that cannot be read is left to
/// make_torch_model; a process that makes no model, such as a parameter holder, does not need it.
void record_fingerprint(config::Node& tree);

} // namespace troupe
