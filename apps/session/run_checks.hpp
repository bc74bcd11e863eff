// What must hold before a run begins or goes on, and is found before anything is written.
#pragma once

#include "apps/config/run_config.hpp"
#include "messages/checkpoint/found_run.hpp"
#include "model/data/problem.hpp"
#include "model/training/model.hpp"

#include <memory>
#include <string>

namespace troupe {

/// Those who train in one process.
struct ProcessShare {
  WorkerId first = 0; ///< the number of the first of them
  WorkerId all = 0;   ///< workers in the cluster; 0: those of this process
};

/// All that can be wrong with data and model, with the workers' shares, and with the extensions
/// among each other. @throws ConfigError, DataError
void check_trainable(const RunConfig& config, const std::shared_ptr<const Problem>& problem,
                     const Model& model, const ProcessShare& share);

/// A remark for people where the configuration names a number of workers that a cluster of
/// `workers` does not have, since it counts those of one process; else "".
std::string unused_workers(const RunConfig& config, WorkerId workers);

/// @param workers of this process. @throws ConfigError unless the run has a state for each.
void check_workers(const SavedRun& run, std::size_t workers);

/// That a run can go on with this configuration: it has as many workers, it tests on no rows that
/// it has trained on, its files are still the same, and it does not stand in the middle of an epoch
/// that now is longer or shorter.
/// @param fit that the run keeps of its data (problem_file.hpp)
/// @throws ConfigError, DataError
void check_goes_on(const FoundRun& found, const RunConfig& config, const std::string& fit,
                   const std::shared_ptr<const Problem>& problem, const ProcessShare& share);

/// That what the run has saved is of this model, and of the configuration's optimizer.
/// @throws ConfigError
void check_state(const FoundRun& found, const RunConfig& config, const Layout& layout);

} // namespace troupe
