// The state of a run on the disk: what `troupe train --resume` continues from.
#pragma once

#include "troupe/messages/loop.hpp"

#include <filesystem>
#include <optional>

namespace troupe {

struct SavedRun {
  std::vector<SavedTrainer> trainers; ///< by worker
  std::optional<Snapshot> shared;     ///< the parameter holder's, where there is one
};

/// Writes the file whole or not at all; a checksum tells damage.
/// @throws IoError where it cannot be written; what was there before stays.
void save_run(const std::filesystem::path& path, const SavedRun& run);

/// @throws IoError where it cannot be read; Failure with ExitCode::data where it is damaged or of
/// another version.
SavedRun load_run(const std::filesystem::path& path);

inline constexpr const char* saved_run_file = "state.bin"; ///< in a run's folder

} // namespace troupe
