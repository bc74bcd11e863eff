// Shows a saved model's file as a table or as JSON.
#pragma once

#include <filesystem>
#include <string>

namespace troupe {

/// The nine fields of MI-Prometheus, one per line: "name mlp", "state_dict ...", "episode 99", ...
/// @throws IoError, DataError for a file that cannot be read or is not a saved model.
std::string model_file_text(const std::filesystem::path& path);

} // namespace troupe
