// What the file of a kept model says, for people and scripts.
#pragma once

#include <filesystem>
#include <string>

namespace troupe {

/// MI-Prometheus' nine fields, one a line: "name mlp", "state_dict ...", "episode 99", ...
/// @throws FileError, DataError for a file that cannot be read, or is none of a model.
std::string model_file_text(const std::filesystem::path& path);

} // namespace troupe
