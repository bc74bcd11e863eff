// The state that a run's results are about: the last one, or the best if an extension saved it.
#pragma once

#include "apps/run_config/run_config.hpp"
#include "messages/checkpoint/saved_run.hpp"

#include <filesystem>
#include <string>

namespace troupe {

/// The file, in the run's folder, of the best state by an extension like early stopping; "" if there
/// is none in the configuration, or it asks for the last state.
std::string best_state_of(const RunConfig& config);

/// The path of that file in a run's folder, by the run's configuration; "" if it does not exist.
std::filesystem::path best_state_in(const std::filesystem::path& folder);

/// The resulting parameters of a saved run: the shared ones, or the main worker's.
Block parameters_of(const SavedRun& run, const RunConfig& config);

} // namespace troupe
