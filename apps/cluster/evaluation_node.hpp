// troupe node, as the evaluator of a cluster: measures the newest parameters while others train.
#pragma once

#include "actors/evaluation/continuous_evaluator.hpp"
#include "apps/commands/train.hpp"

#include <string>

namespace troupe {

struct EvaluationOptions {
  std::int64_t every = 1; ///< measure after so many new versions; 1: the newest, always
  double idle_limit = 0;  ///< seconds without a new version after which it ends; 0: never
  std::string section = "validation";
};

/// What they ask of an evaluator, whatever its model and its number.
/// @throws UsageError for what cannot be.
ContinuousEvaluatorOptions evaluator_options(const EvaluationOptions& options);

/// It opens no port and ends with the workers. SIGINT (Ctrl-C) ends it after the newest version,
/// a second one or SIGTERM at once; SIGUSR1 tells that training is over, as far as the sender
/// knows.
/// @returns the exit code of the program. @throws Failure for what cannot begin.
int evaluate_versions(const TrainCommand& command, const ClusterMember& member,
                      const EvaluationOptions& options);

} // namespace troupe
