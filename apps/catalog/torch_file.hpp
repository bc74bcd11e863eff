// The file in  model: {name: torch, file: net.pt}.
#pragma once

#include "base/config/node.hpp"
#include "model/torch/torch_model.hpp"

#include <memory>

namespace troupe {

/// Records the fingerprint of the model's file in a configuration that has none yet, so that a
/// resumed or repeated run uses the same module. A file that cannot be read is left to
/// make_torch_model; a process that makes no model, such as a parameter holder, does not need it.
void record_fingerprint(config::Node& tree);

/// @throws ConfigError if the file is not that of the run, or options and data do not fit it;
/// FileError, DataError for the file.
std::unique_ptr<Model> make_torch_model(const TorchOptions& options, const DataSpec& data);

} // namespace troupe
