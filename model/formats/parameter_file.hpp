#pragma once

#include "model/formats/named_parameters.hpp"

namespace troupe {

/// True for names of parameter files of other programs: *.safetensors and *.npz.
bool is_parameter_file(const std::string& path);

/// Reads such a file, in the format of its extension.
/// @throws IoError, DataError as read_safetensors and read_npz
NamedParameters read_parameter_file(const std::string& path);

} // namespace troupe
