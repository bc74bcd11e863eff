// The file behind  model: {name: torch, file: net.pt}.
#pragma once

#include "base/failure.hpp"
#include "model/torch/torch_model.hpp"

#include <memory>
#include <string>

namespace troupe {

/// XXH3 of a file's bytes in hexadecimal digits. A run asks for it twice, for its configuration and
/// for its model, and a grid in each of its runs: a file is read once as long as it stays the same.
/// @throws IoError, DataError as read_text does.
std::string fingerprint_of_file(const std::string& path);

/// @throws ConfigError if the file is another one than the run's, or options and data do not
/// fit it; IoError, DataError for the file.
std::unique_ptr<Model> make_torch_model(const TorchOptions& options, const DataSpec& data);

} // namespace troupe
