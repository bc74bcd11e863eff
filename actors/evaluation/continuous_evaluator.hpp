// Measures the newest parameters of a cluster while others train. Protocol:
// messages/evaluation/continuous_evaluation.hpp.
#pragma once

#include "messages/cluster/cluster.hpp"
#include "messages/evaluation/continuous_evaluation.hpp"
#include "messages/evaluation/evaluation_queue.hpp"
#include "messages/log/log.hpp"

namespace troupe {

struct ContinuousEvaluatorOptions {
  WorkerId worker = 0;  ///< its number in the cluster: that of the workers, so that it is nobody's
  Layout layout = {};   ///< of what the workers share
  Index parameters = 0; ///< of these the first so many are the model's; 0: all
  Section section = Section::validation;
  QueueOptions queue = {};
  double look_every = 1;  ///< seconds between two looks at the workers
  double deadline = 3600; ///< seconds for one measurement
};

/// Spawns an observer of the cluster. Each measurement is a row of the log: worker and, for the
/// batch, the version; records <section>_<metric>, evaluated_version, skipped_versions.
///
/// It ends after its answer to EvaluateVersions.
ContinuousEvaluator spawn_continuous_evaluator(caf::actor_system& system, ParameterHolder holder,
                                               Evaluator evaluator, Logger logger,
                                               ContinuousEvaluatorOptions options);

} // namespace troupe
