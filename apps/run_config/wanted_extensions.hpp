// The extensions of a run by its configuration, including those that end it.
#pragma once

#include "apps/run_config/run_config.hpp"
#include "model/data/problem.hpp"

#include <string>
#include <vector>

namespace troupe {

struct WantedBy {
  WorkerId workers = 1; ///< over all processes
  bool progress = true; ///< a progress line is shown
};

/// In the order of attaching: a warm start, the end, then those of the configuration.
std::vector<ConfiguredExtension> wanted_extensions(const RunConfig& config, const Problem& problem,
                                                   const WantedBy& by);

/// Why a run ended after its number of epochs, as printed and saved.
std::string epochs_done(Epoch epochs);
/// Whether that is the reason; also accepts the wording of older saved runs, "1 epochs are done".
bool says_epochs_done(const std::string& reason, Epoch epochs);
std::string batches_done(Step batches);

/// One worker's share of `training.batches`; 0: no limit.
Step batches_of_each(const TrainingOptions& training, WorkerId workers);

} // namespace troupe
