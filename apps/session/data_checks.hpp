// What data, batches and model say about each other before training, that would else be seen only
// in its results.
#pragma once

#include "apps/config/run_config.hpp"
#include "model/data/problem.hpp"
#include "model/data/target_counts.hpp"
#include "model/training/model.hpp"

#include <string>

namespace troupe {

/// @throws DataError where all examples to train on have the same target, or none: nothing can be
/// learned of them.
void check_targets_differ(const Problem& problem, const TargetCounts& counts);

/// @throws ConfigError where a worker has a batch of one example, and the model has a layer that
/// needs two (least_batch.hpp).
void check_last_batch(const TrainingOptions& training, Index examples, const Model& model,
                      WorkerId workers);

/// Lines for people: classes without a row to train on, sections without rows, batches that are
/// larger than what there is.
std::string data_remarks(const RunConfig& config, const Problem& problem,
                         const TargetCounts& counts, WorkerId workers);

/// Lines for people: the shape of each field, and how often each class is there to train on.
std::string fields_text(const Problem& problem, const TargetCounts& counts);

} // namespace troupe
