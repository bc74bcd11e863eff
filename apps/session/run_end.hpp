// How a run has ended, as its state and the results in its folder say.
#pragma once

#include "apps/session/session_options.hpp"
#include "messages/checkpoint/found_run.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace troupe {

/// Clears the end of a run that ended by its number of epochs, if it is now given more.
void forget_end(SavedRun& run, Epoch epochs);

/// Why a run that has done all its epochs or batches has nothing left to do; empty if it has.
/// @param workers over all processes
std::string reached_end(const SavedRun& run, const TrainingOptions& training, WorkerId workers);

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

/// Writes result.json and, unless training failed, state.bin. @throws IoError
/// @param home the name of the folder in the results, if it is going to be moved
void write_results(const std::filesystem::path& folder, const SessionResult& result,
                   const std::filesystem::path& home);

} // namespace troupe
