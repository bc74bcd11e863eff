// The state of a run on the disk: what `troupe train --resume` continues from.
#pragma once

#include "troupe/messages/parameters.hpp"

#include <filesystem>
#include <optional>

namespace troupe {

struct SavedRun {
  std::vector<SavedTrainer> trainers; ///< by worker
  std::optional<SavedHolder> shared;  ///< the parameter holder, where it belongs to the run
};

/// Writes the file whole or not at all; a checksum tells damage.
/// @throws IoError where it cannot be written; what was there before stays.
void save_run(const std::filesystem::path& path, const SavedRun& run);

/// @throws IoError where it cannot be read; Failure with ExitCode::data where it is damaged or of
/// another version.
SavedRun load_run(const std::filesystem::path& path);

inline constexpr const char* saved_run_file = "state.bin"; ///< in a run's folder

/// The same for a parameter holder alone: what `troupe node --role ps` goes on with.
void save_holder(const std::filesystem::path& path, const SavedHolder& holder);
SavedHolder load_holder(const std::filesystem::path& path);

} // namespace troupe
