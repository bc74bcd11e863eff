#pragma once

#include "messages/checkpoint/saved_run.hpp"

namespace troupe {

/// The run that a path leads to: the newest whole state of a folder, or that of a file.
/// @param checkpoints as for newest_run
/// @throws FileError, DataError as newest_run and load_run do.
FoundRun run_at(const std::filesystem::path& path,
                const std::vector<std::string>& checkpoints = {checkpoint_file});

/// What people have to know of a run that was found: why newer states cannot be used, and which one
/// is. Nothing where the newest is whole.
std::vector<std::string> warnings_of(const FoundRun& found);

} // namespace troupe
