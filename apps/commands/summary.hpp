// troupe summary: prints the layers of a configured model, and what training it takes.
#pragma once

#include "apps/config/run_config.hpp"
#include "model/training/training_memory.hpp"

#include <string>
#include <vector>

namespace CLI { // NOLINT(readability-identifier-naming): the library's
class App;
}

namespace troupe {

struct SummaryCommand {
  std::vector<std::string> words; ///< runs' folders, configuration files and overrides
};

void add_summary(CLI::App& app, SummaryCommand& command);

/// What one worker of this configuration holds. Trains one batch to see.
TrainingMemory memory_of(const RunConfig& config, std::shared_ptr<const Problem> problem,
                         const Model& model);

/// "3.25 MB for a worker: 0.81 parameters, 0.81 gradients, 1.63 optimizer, 0.42 activations and
/// batch"
std::string memory_text(const TrainingMemory& memory);

/// A line for each stage with its output and parameters, then the sums by role; of a model that
/// does not tell its stages, a line for each parameter.
std::string stages_text(const Model& model);

/// @returns the exit code of the program. @throws Failure for what cannot be.
int summary(const SummaryCommand& command);

} // namespace troupe
