#pragma once

#include "model/formats/named_parameters.hpp"

namespace troupe {

/// True for the names of files that other programs write: *.safetensors and *.npz.
bool is_parameter_file(const std::string& path);

/// Reads such a file, by what its name ends in.
/// @throws FileError, DataError as read_safetensors and read_npz.
NamedParameters read_parameter_file(const std::string& path);

} // namespace troupe
