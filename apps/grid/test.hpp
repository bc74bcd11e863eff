// troupe grid test: evaluates the models of a grid's runs on the test section.
#pragma once

#include "apps/grid/train.hpp"

#include <filesystem>
#include <optional>

namespace troupe {

/// The file of a run's best model: models/model_best.bin of a trainer, that of early stopping, else
/// the state at its end; nothing if there is none.
std::optional<std::filesystem::path> best_model(const std::filesystem::path& folder);

/// Tests the best model of each finished run as `troupe test` does, as often as the command says,
/// and each time once for each of `testing.multi_tests`. Existing tests are not repeated. At Ctrl-C
/// running tests end after their batch and leave no files.
/// @returns the exit code of the program. @throws Failure if it cannot start.
int grid_test(const GridCommand& command);

} // namespace troupe
