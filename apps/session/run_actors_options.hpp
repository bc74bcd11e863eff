#pragma once

#include "actors/run_actors.hpp"
#include "apps/run_config/run_config.hpp"

namespace troupe {

/// The options of a configuration for training: problem, model, optimizer, batches, workers, their
/// threads and loaders; without logs.
/// @param all_workers in the cluster; 0: those of this process
/// @throws ConfigError for an invalid optimizer.
RunActorsOptions run_actors_options(const RunConfig& config, std::shared_ptr<const Problem> problem,
                                    std::shared_ptr<const Model> model, WorkerId all_workers = 0);

/// @throws ConfigError if the model's batches cannot be split over so many threads.
void check_threads(const TrainingOptions& training, const Model& model);

/// @throws ConfigError if the model's parameters and their gradient alone exceed the machine's
/// memory.
void check_memory(const Model& model);

/// @throws ConfigError for invalid scales of the optimizer's settings, or scales that match no
/// parameter.
void check_scales(const RunConfig& config, const Model& model);

/// @param all_workers as above
/// @throws ConfigError if rows of the problem continue from batch to batch, but would not be read
/// in that order.
void check_order(const TrainingOptions& training, const DataSpec& data, WorkerId all_workers = 0);

/// Warns of unused fields of the problem, unless the configuration says to ignore them.
/// @throws ConfigError if the configuration says to raise an error.
void check_sources(const TrainingOptions& training, const Problem& problem, const Model& model);

/// @param workers over all processes
/// @returns a sentence if the learning rate is scaled by the number of workers; else "".
std::string scaled_rate_text(const TrainingOptions& training, WorkerId workers);

/// @returns a sentence if more threads train than there are cores; else "".
std::string crowded(const TrainingOptions& training, std::size_t cores);

} // namespace troupe
