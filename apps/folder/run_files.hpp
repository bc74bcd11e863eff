// What a run leaves in its folder, and what it goes on from.
#pragma once

#include "apps/session/run_session.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// A run that was about to end for its number of epochs goes on where it is given more.
void forget_end(SavedRun& run, Epoch epochs);

/// Why a run that has done all its epochs or batches has nothing left to do; empty
/// where there is.
/// @param workers of all processes
std::string reached_end(const SavedRun& run, const TrainingOptions& training, WorkerId workers);

/// Writes config.yaml, with a checksum. @throws FileError
void write_configuration(const std::filesystem::path& folder, const std::string& yaml);

/// Why the run that left this state and its results in `folder` has ended in good order; nothing
/// where it was interrupted, was killed before all of it was written, or has by this configuration
/// more epochs, or episodes of a trainer, to go.
std::optional<std::string> written_end(const std::filesystem::path& folder, const FoundRun& found,
                                       const RunConfig& config);

/// Why the run that left its results in `folder` has ended; "" where it left none.
std::string written_reason(const std::filesystem::path& folder);

/// Why the run that left its results in `folder` stopped before its end, where nobody had asked it
/// to, as for a checkpoint that cannot be written; nothing where it did not, or left none.
std::optional<std::string> stopped_unasked(const std::filesystem::path& folder);

/// The configuration without how the run is steered: who repeats it may steer it otherwise.
std::string repeatable(config::Node tree);

/// Writes result.json and, unless training failed, state.bin. @throws FileError
/// @param home what the results call the folder, where it is to be moved
void write_results(const std::filesystem::path& folder, const SessionResult& result,
                   const std::filesystem::path& home);

/// False for a file that a power cut left empty, too.
bool is_there(const std::filesystem::path& path);

/// What the checkpoints in a run's folder are called: as its configuration says, and as they are by
/// themselves.
std::vector<std::string> checkpoints_of(const std::filesystem::path& folder);

/// Whether a run has saved a state in its folder, be it damaged: then begun_run tells of it.
bool has_state(const std::filesystem::path& folder);

/// Where the folder's configuration names its checkpoints otherwise from now on, what a run goes on
/// from gets a name by which it is still found.
void keep_findable(const FoundRun& found, const std::filesystem::path& folder);

/// Tells people on standard error why newer states than the one that was found cannot be used.
void say_warnings(const FoundRun& found);

/// What a run that was ended in its folder goes on from; nothing where it has saved no state.
/// @throws DataError where none of its states can be used.
std::optional<FoundRun> begun_run(const std::filesystem::path& folder);

/// Makes the folder of a run that begins. The log of one that began there and has left no state
/// makes room, and stays: log.1.jsonl, log.2.jsonl, the latest last. People read of it.
/// @returns it. @throws IoError
std::filesystem::path fresh_folder(const std::filesystem::path& folder);

} // namespace troupe
