#pragma once

#include <filesystem>
#include <string>

namespace troupe {

/// Whether a path within a run's folder is a file that the run, or who starts it, writes and reads
/// itself: its configuration, log, results, last state ... Nothing else may be written there.
/// @param path relative to the folder
bool is_file_of_run(const std::filesystem::path& path);
/// What such a path is, for who names it, and the cure.
/// @param instead another name, like "best.bin"
std::string file_of_run_text(const std::string& instead);

} // namespace troupe
