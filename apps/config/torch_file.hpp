// The file behind  model: {name: torch, file: net.pt}.
#pragma once

#include "base/config/node.hpp"
#include "model/torch/torch_model.hpp"

#include <memory>

namespace troupe {

/// Notes the fingerprint of the model's file in a configuration that names one and has none yet, so
/// that what goes on from the run, or repeats it, takes the same module. A file that cannot be read
/// is left to make_torch_model; whoever makes no model, as a holder of parameters, needs none.
void note_fingerprint(config::Node& tree);

/// @throws ConfigError where the file is another one than the run's, or options and data do not
/// fit it; FileError, DataError for the file.
std::unique_ptr<Model> make_torch_model(const TorchOptions& options, const DataSpec& data);

} // namespace troupe
