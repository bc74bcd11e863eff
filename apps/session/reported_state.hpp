// Which of a run's states its results are about: the last one, or the best where early stopping
// keeps it.
#pragma once

#include "apps/config/run_config.hpp"
#include "messages/checkpoint/saved_run.hpp"

#include <filesystem>
#include <string>

namespace troupe {

/// The file, in the run's folder, of the best state by early stopping; "" where the configuration
/// has none, or asks for the last state.
std::string best_state_of(const RunConfig& config);

/// The same in the folder of a run, by its configuration, as a path; "" where there is no such
/// file.
std::filesystem::path best_state_in(const std::filesystem::path& folder);

/// The parameters that a saved run comes to: those that its workers share, or the main worker's.
Block parameters_of(const SavedRun& run, const RunConfig& config);

} // namespace troupe
