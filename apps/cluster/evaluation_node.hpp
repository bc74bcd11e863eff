// troupe node as the evaluator of a cluster: evaluates the newest parameters during training.
#pragma once

#include "actors/evaluation/continuous_evaluator.hpp"
#include "apps/session/train_command.hpp"

#include <string>

namespace troupe {

struct EvaluationOptions {
  std::int64_t every = 1; ///< number of new versions between two evaluations; 1: always the newest
  double idle_limit = 0;  ///< seconds without a new version after which it ends; 0: never
  std::string section = "validation";
};

/// The options of the evaluator actor, for any model and worker number.
/// @throws UsageError for invalid options.
ContinuousEvaluatorOptions evaluator_options(const EvaluationOptions& options);

/// It opens no port and ends with the workers. SIGINT (Ctrl-C) ends it after the newest version, a
/// second one or SIGTERM at once; SIGUSR1 means that training has ended.
/// @returns the exit code of the program. @throws Failure if it cannot start.
int evaluate_versions(const TrainCommand& command, const ClusterMember& member,
                      const EvaluationOptions& options);

} // namespace troupe
