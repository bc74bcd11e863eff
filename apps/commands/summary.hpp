// troupe summary: prints the layers of a configured model, and the memory that training takes.
#pragma once

#include "apps/run_config/run_config.hpp"
#include "model/training/training_memory.hpp"

#include <string>
#include <vector>

namespace CLI { // NOLINT(readability-identifier-naming): the library's
class App;
}

namespace troupe {

struct SummaryCommand {
  std::vector<std::string> arguments; ///< runs' folders, configuration files and overrides
};

void add_summary(CLI::App& app, SummaryCommand& command);

/// Measures the memory of one worker of this configuration by training one batch.
TrainingMemory memory_of(const RunConfig& config, std::shared_ptr<const Problem> problem,
                         const Model& model);

/// "3.25 MB for a worker: 0.81 parameters, 0.81 gradients, 1.63 optimizer, 0.42 activations and
/// batch"
std::string memory_text(const TrainingMemory& memory);

/// A line for each stage with its output and parameters, then the sums by role; for a model that
/// does not describe its stages, a line for each parameter.
std::string stages_text(const Model& model);

/// @returns the exit code of the program. @throws Failure
int summary(const SummaryCommand& command);

} // namespace troupe
