// The extensions that a run has by its configuration, the end that it asks for among them.
#pragma once

#include "apps/config/run_config.hpp"
#include "model/data/problem.hpp"

#include <string>
#include <vector>

namespace troupe {

struct WantedBy {
  WorkerId workers = 1; ///< of all processes
  bool progress = true; ///< a progress line is shown
};

/// In the order in which they are attached: a warm start, the end, then those of the configuration.
std::vector<ConfiguredExtension> wanted_extensions(const RunConfig& config, const Problem& problem,
                                                   const WantedBy& by);

/// Why a run ends after its number of epochs, for people and checkpoints.
std::string epochs_done(Epoch epochs);
/// Whether that is why: also in the words of saved runs of before, "1 epochs are done".
bool says_epochs_done(const std::string& reason, Epoch epochs);
std::string batches_done(Step batches);

/// The share of one of so many workers in `training.batches`; 0: no limit.
Step batches_of_each(const TrainingOptions& training, WorkerId workers);

} // namespace troupe
