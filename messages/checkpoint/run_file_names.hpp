#pragma once

#include <filesystem>
#include <string>

namespace troupe {

/// Whether a path in a run's folder is a file that the run or its launcher reads and writes: the
/// configuration, the log, the results, the last state, ... Nothing else may be written there.
/// @param path relative to the folder
bool is_file_of_run(const std::filesystem::path& path);
/// Why the path cannot be used, with the cure.
/// @param instead another name, like "best.bin"
std::string file_of_run_text(const std::string& instead);

} // namespace troupe
