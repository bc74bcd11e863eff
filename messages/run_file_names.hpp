#pragma once

#include <filesystem>

namespace troupe {

/// Whether a path within a run's folder is a file that the run, or who starts it, writes and reads
/// itself: its configuration, log, results, last state ... Nothing else may be written there.
/// @param path relative to the folder
bool is_file_of_run(const std::filesystem::path& path);

} // namespace troupe
