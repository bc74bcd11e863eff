// The files that a run leaves in its folder, and those it is resumed from.
#pragma once

#include "apps/session/run_session.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// Clears the end of a run that ended by its number of epochs, if it is now given more.
void forget_end(SavedRun& run, Epoch epochs);

/// Why a run that has done all its epochs or batches has nothing left to do; empty if it has.
/// @param workers over all processes
std::string reached_end(const SavedRun& run, const TrainingOptions& training, WorkerId workers);

/// Writes config.yaml, with a checksum. @throws FileError
void write_configuration(const std::filesystem::path& folder, const std::string& yaml);

/// Why the run that left this state and its results in `folder` ended in good order; nothing if it
/// was interrupted, was killed before it had written everything, or has more epochs (or episodes of
/// a trainer) to do under this configuration.
std::optional<std::string> written_end(const std::filesystem::path& folder, const FoundRun& found,
                                       const RunConfig& config);

/// Why the run that left its results in `folder` ended; "" if there are none.
std::string written_reason(const std::filesystem::path& folder);

/// Why the run that left its results in `folder` stopped early without a request, as after a
/// checkpoint that could not be written; nothing if it did not, or there are no results.
std::optional<std::string> unrequested_stop(const std::filesystem::path& folder);

/// The configuration without the section `control`: a repetition may be controlled differently.
std::string repeatable(config::Node tree);

/// Writes result.json and, unless training failed, state.bin. @throws FileError
/// @param home the name of the folder in the results, if it is going to be moved
void write_results(const std::filesystem::path& folder, const SessionResult& result,
                   const std::filesystem::path& home);

/// False also for a file that a power cut left empty.
bool is_there(const std::filesystem::path& path);

/// Names of the checkpoints in a run's folder: those of its configuration and the default one.
std::vector<std::string> checkpoints_of(const std::filesystem::path& folder);

/// Whether a run has saved a state in its folder, even a damaged one, which begun_run reports.
bool has_state(const std::filesystem::path& folder);

/// If the folder's new configuration renames the checkpoints, links the found state under a name
/// that is still found.
void keep_findable(const FoundRun& found, const std::filesystem::path& folder);

/// Prints on standard error why newer states than the found one cannot be used.
void say_warnings(const FoundRun& found);

/// The state from which a run in its folder is resumed; nothing if it has saved none.
/// @throws DataError if none of its states can be used.
std::optional<FoundRun> begun_run(const std::filesystem::path& folder);

/// Makes the folder of a new run. The log of an earlier run there that left no state is kept as
/// log.1.jsonl, log.2.jsonl and so on, the newest last, with a warning.
/// @returns the folder. @throws IoError
std::filesystem::path fresh_folder(const std::filesystem::path& folder);

} // namespace troupe
