// Checks of data, batches and model before training, for mistakes that would otherwise only show in
// the results.
#pragma once

#include "apps/run_config/run_config.hpp"
#include "model/data/problem.hpp"
#include "model/data/target_counts.hpp"
#include "model/training/model.hpp"

#include <string>

namespace troupe {

/// Counts the targets of the rows to train on; empty if the problem makes its examples.
TargetCounts counts_to_train_on(const RunConfig& config, const Problem& problem);

/// @throws DataError if all training examples have the same target, or none: nothing can be learned
/// from them.
void check_targets_differ(const Problem& problem, const TargetCounts& counts);

/// @throws ConfigError if a worker has a batch of one example, and a layer of the model needs two
/// (minimum_batch.hpp).
void check_last_batch(const TrainingOptions& training, Index examples, const Model& model,
                      WorkerId workers);

/// Lines to print: classes without training rows, sections without rows, batches larger than the
/// data.
std::string data_remarks(const RunConfig& config, const Problem& problem,
                         const TargetCounts& counts, WorkerId workers);

/// Lines to print: the shape of each field, and the frequency of each class in the training rows.
std::string fields_text(const Problem& problem, const TargetCounts& counts);

} // namespace troupe
