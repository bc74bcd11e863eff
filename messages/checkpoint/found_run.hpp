#pragma once

#include "messages/checkpoint/saved_run.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace troupe {

/// A run's newest intact state.
struct FoundRun {
  std::filesystem::path path;
  SavedRun run;
  std::vector<std::string> refused; ///< one sentence for each newer file that cannot be used
};

/// The files in a run's folder that should hold a state: state.bin, its checkpoints and their
/// predecessors (checkpoint.1.bin).
/// @param checkpoints name of the newest checkpoint, or one name for each kind of checkpoint
std::vector<std::filesystem::path> states_in(const std::filesystem::path& folder,
                                             const std::vector<std::string>& checkpoints
                                             = {checkpoint_file});

/// The newest intact state among states_in.
/// @param part as for load_run
/// @throws IoError if there is none; DataError if none of them can be used.
FoundRun newest_run(const std::filesystem::path& folder,
                    const std::vector<std::string>& checkpoints = {checkpoint_file},
                    RunPart part = RunPart::all);

/// The run at a path: the newest intact state of a folder, or the state in a file.
/// @param checkpoints, part as for newest_run
/// @throws IoError, DataError as newest_run and load_run do.
FoundRun run_at(const std::filesystem::path& path,
                const std::vector<std::string>& checkpoints = {checkpoint_file},
                RunPart part = RunPart::all);

/// Warnings to print about a run that was found: why newer states cannot be used, and which one
/// is used. Empty if the newest is intact.
std::vector<std::string> warnings_of(const FoundRun& found);

} // namespace troupe
