// Conditions for a run to start or resume, checked before anything is written.
#pragma once

#include "apps/run_config/run_config.hpp"
#include "messages/checkpoint/found_run.hpp"
#include "model/data/problem.hpp"
#include "model/data/target_counts.hpp"
#include "model/training/model.hpp"

#include <memory>
#include <string>

namespace troupe {

/// The workers of one process.
struct ProcessShare {
  WorkerId first = 0; ///< number of the first one
  WorkerId all = 0;   ///< workers in the cluster; 0: those of this process
};

/// Checks data and model, the workers' shares, and the extensions among each other.
/// @param counts of the rows to train on (counts_to_train_on) @throws ConfigError, DataError
void check_trainable(const RunConfig& config, const std::shared_ptr<const Problem>& problem,
                     const Model& model, const ProcessShare& share, const TargetCounts& counts);

/// A remark if the configuration gives a number of workers that differs from the cluster's, since
/// it only counts those of one process; else "".
std::string unused_workers(const RunConfig& config, WorkerId workers);

/// @param workers of this process. @throws ConfigError unless the run has a state for each.
void check_workers(const SavedRun& run, std::size_t workers);

/// Checks that a run can resume with this configuration: it has as many workers, it tests on no
/// rows that it has trained on, its files are unchanged, and it is not in the middle of an epoch
/// whose length has changed.
/// @param fit of the data, as stored by the run (problem_file.hpp)
/// @throws ConfigError, DataError
void check_resumable(const FoundRun& found, const RunConfig& config, const std::string& fit,
                     const std::shared_ptr<const Problem>& problem, const ProcessShare& share);

/// Checks that the saved state fits the model and the configuration's optimizer.
/// @throws ConfigError
void check_state(const FoundRun& found, const RunConfig& config, const Layout& layout);

} // namespace troupe
