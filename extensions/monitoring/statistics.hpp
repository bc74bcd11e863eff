// Writes the statistics files of a run, in MI-Prometheus' names and formats, for every batch, every
// epoch and every validation.
#pragma once

#include "extensions/monitoring/training_statistics.hpp"
#include "messages/loop/extension.hpp"

namespace troupe {

/// Before training and after each epoch; a line for people every 100 batches. `with_every_batch`
/// adds the look at each batch.
Conditions statistics_conditions();

/// A gate that sees every batch (`with_every_batch`), and follows the log for validations. Writes
/// into `folder`
///
///   training_statistics.csv            a row for each batch
///   training_set_agg_statistics.csv    for each epoch
///   validation_statistics.csv          for each partial validation
///   validation_set_agg_statistics.csv  for each full validation
///
/// A run that is resumed, or under way when this is attached to it, goes on behind the rows up to
/// its batch; others begin new files. Its answer after an epoch has the mean of what problem and
/// model count, "training_<name>". A disk that refuses a file is told of once, and training goes
/// on. The logger, which it follows, holds it: it ends when it is sent an exit.
/// @throws std::invalid_argument for statistics that cannot be.
Extension spawn_statistics(caf::actor_system& system, const StatisticsOptions& options,
                           std::vector<Statistic> own, const std::string& folder, Logger logger);

} // namespace troupe
