// troupe grid test: measures the models of a grid's runs on the test section.
#pragma once

#include "apps/grid/train.hpp"

#include <filesystem>
#include <optional>

namespace troupe {

inline constexpr const char* best_state_file = "best.bin"; ///< early stopping's, in a run's folder

/// The file of a run that counts as its best model: what a trainer kept as models/model_best.bin or
/// early stopping saved as best.bin, else the state at its end; nothing where there is none.
std::optional<std::filesystem::path> best_model(const std::filesystem::path& folder);

/// Tests the best model of each run that is done as `troupe test` does, so many times as the
/// command says, and each time once for each of `testing.multi_tests`. What is tested already is
/// not repeated. At Ctrl-C tests under way end after their batch and leave nothing.
/// @returns the exit code of the program. @throws Failure for what cannot begin.
int grid_test(const GridCommand& command);

} // namespace troupe
