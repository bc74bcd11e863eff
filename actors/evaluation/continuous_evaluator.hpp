// Measures the newest parameters of a cluster during training. Protocol:
// messages/evaluation/continuous_evaluation.hpp.
#pragma once

#include "messages/cluster/cluster.hpp"
#include "messages/evaluation/continuous_evaluation.hpp"
#include "messages/evaluation/evaluation_queue.hpp"
#include "messages/log/log.hpp"

namespace troupe {

struct ContinuousEvaluatorOptions {
  WorkerId worker = 0;  ///< its number in the cluster: the number of workers, which no worker has
  Layout layout = {};   ///< of what the workers share
  Index parameters = 0; ///< how many of these, from the first, are the model's; 0: all
  Section section = Section::validation;
  QueueOptions queue = {};
  double poll_interval = 1; ///< seconds between two polls of the holder
  double deadline = 3600;   ///< seconds for one measurement
};

/// Spawns a cluster member that only reads. Each measurement is a row of the log with the worker
/// and, as batch, the version; records <section>_<metric>, evaluated_version, skipped_versions.
///
/// It ends after its answer to EvaluateVersions.
ContinuousEvaluator spawn_continuous_evaluator(caf::actor_system& system, ParameterHolder holder,
                                               Evaluator evaluator, Logger logger,
                                               ContinuousEvaluatorOptions options);

} // namespace troupe
