// Writes the statistics files of a run for every batch, epoch and validation, with the names and
// formats of MI-Prometheus.
#pragma once

#include "extensions/monitoring/training_statistics.hpp"
#include "messages/loop/extension.hpp"

namespace troupe {

/// Before training and after each epoch; prints a line every 100 batches. `with_every_batch` adds
/// every batch.
Conditions statistics_conditions();

/// A gate that sees every batch (`with_every_batch`), and follows the log for validations. It
/// writes into `folder`
///
///   training_statistics.csv            a row for each batch
///   training_set_agg_statistics.csv    for each epoch
///   validation_statistics.csv          for each partial validation
///   validation_set_agg_statistics.csv  for each full validation
///
/// For a resumed run, or if it is attached during training, it keeps the rows up to the current
/// batch and appends to them; otherwise it creates new files. Its answer after an epoch has the
/// mean of each statistic of the problem and the model, "training_<name>". A file that cannot be
/// written causes one warning, and training continues. The logger holds a handle to it as a
/// follower: it ends when it receives an exit message.
/// @throws std::invalid_argument for invalid statistics.
Extension spawn_statistics(caf::actor_system& system, const StatisticsOptions& options,
                           std::vector<Statistic> own, const std::string& folder, Logger logger);

} // namespace troupe
