#pragma once

#include "messages/checkpoint/saved_run.hpp"

namespace troupe {

/// The run at a path: the newest intact state of a folder, or the state in a file.
/// @param checkpoints as for newest_run
/// @throws FileError, DataError as newest_run and load_run do.
FoundRun run_at(const std::filesystem::path& path,
                const std::vector<std::string>& checkpoints = {checkpoint_file});

/// Warnings to print about a run that was found: why newer states cannot be used, and which one
/// is used. Empty if the newest is intact.
std::vector<std::string> warnings_of(const FoundRun& found);

} // namespace troupe
