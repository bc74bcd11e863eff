#pragma once

#include "actors/cast.hpp"
#include "apps/config/run_config.hpp"

namespace troupe {

/// What a configuration says of those who train: problem, model, optimizer, batches, workers, their
/// threads and loaders; nothing of logs.
/// @param all_workers in the cluster; 0: those of this process
/// @throws ConfigError for an optimizer that cannot be.
CastOptions cast_options(const RunConfig& config, std::shared_ptr<const Problem> problem,
                         std::shared_ptr<const Model> model, WorkerId all_workers = 0);

/// @throws ConfigError where the model's batches cannot be split over so many threads.
void check_threads(const TrainingOptions& training, const Model& model);

/// @throws ConfigError where the model's parameters and their gradient alone are more than the
/// machine has memory.
void check_memory(const Model& model);

/// @throws ConfigError for shares of the optimizer's settings that cannot be, or fit no parameter.
void check_scales(const RunConfig& config, const Model& model);

/// @param all_workers as above
/// @throws ConfigError where rows of the problem go on from batch to batch, and would not be read
/// so.
void check_order(const TrainingOptions& training, const DataSpec& data, WorkerId all_workers = 0);

/// Warns of fields of the problem that nobody uses, unless the configuration wants them ignored.
/// @throws ConfigError where it minds.
void check_sources(const TrainingOptions& training, const Problem& problem, const Model& model);

/// @param workers of all processes
/// @returns a sentence where the learning rate is another than the optimizer's section says, ""
/// where it is not.
std::string scaled_rate_text(const TrainingOptions& training, WorkerId workers);

/// @returns a sentence where the threads that train are more than the cores, "" where they are not.
std::string crowded(const TrainingOptions& training, unsigned cores);

} // namespace troupe
