// The state of a run on the disk: what a checkpoint writes and `troupe train --resume` goes on
// from.
//
// A file is a line that says what it is, the format's version, the content's size and checksum
// (XXH3), and the content: cereal's portable binary archive.
#pragma once

#include "base/files/data_error.hpp"
#include "messages/parameters/parameters.hpp"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

struct SavedRun {
  std::vector<SavedTrainer> trainers;        ///< by worker
  std::map<std::string, Records> extensions; ///< what each remembers, by name
  std::string log;                           ///< the id of the log that the run has written
  std::optional<SavedHolder> shared;         ///< the parameter holder, where it belongs to the run
  FIELDS(trainers, extensions, log, shared);
};

/// What is left out of a file.
enum class RunPart : std::uint8_t {
  all,
  parameters, ///< the parameters alone, by name
};

/// Writes the file whole or not at all; it is on the disk when the call returns.
/// @returns its bytes. @throws FileError where it cannot be written; what was there before stays.
std::uint64_t save_run(const std::filesystem::path& path, const SavedRun& run,
                       RunPart part = RunPart::all);

/// @throws FileError where it cannot be read; DataError where it is damaged, none of ours or of
/// another version.
SavedRun load_run(const std::filesystem::path& path);

/// Whether its header and content are those that were written; does not look into the content.
/// @throws as load_run, where it is not
void check_run_file(const std::filesystem::path& path);

inline constexpr const char* saved_run_file = "state.bin";       ///< in a run's folder, at its end
inline constexpr const char* checkpoint_file = "checkpoint.bin"; ///< while it trains

/// A run's newest state that is whole.
struct FoundRun {
  std::filesystem::path path;
  SavedRun run;
  std::vector<std::string> refused; ///< a sentence per newer file that cannot be used
};

/// The files in a run's folder that hold a state, or should: state.bin, its checkpoints and their
/// predecessors (checkpoint.1.bin).
/// @param checkpoints what the newest checkpoint is called, or each where the run has several
std::vector<std::filesystem::path> states_in(const std::filesystem::path& folder,
                                             const std::vector<std::string>& checkpoints
                                             = {checkpoint_file});

/// The newest of states_in that is whole.
/// @throws FileError where there is none; DataError where none of them can be used.
FoundRun newest_run(const std::filesystem::path& folder,
                    const std::vector<std::string>& checkpoints = {checkpoint_file});

/// The same for a parameter holder alone: what `troupe node --role ps` goes on with.
void save_holder(const std::filesystem::path& path, const SavedHolder& holder);
SavedHolder load_holder(const std::filesystem::path& path);

} // namespace troupe
