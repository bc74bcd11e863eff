// Measures versions of the parameters on sections of the problem. Protocol:
// messages/evaluation/evaluation.hpp.
#pragma once

#include "messages/evaluation/evaluation.hpp"
#include "model/training/model.hpp"

#include <memory>

namespace troupe {

/// How an evaluator shares its thread.
struct EvaluatorOptions {
  Index batch_size = 256; ///< examples at once; all streams of a problem that has some
  /// The same for requests that ask neither for some batches nor for their spread, whose answers do
  /// not depend on it; 0: batch_size.
  Index uncounted_batch_size = 0;
  double slice = 0.005; ///< seconds of computing before it checks its mailbox
};

/// Spawns an evaluator. Requests are served one after the other, in slices, so that its thread
/// stays shared. It ends with its last handle when all requests are answered; an exit message ends
/// it at once and answers waiting requests with an error.
/// @throws std::invalid_argument without a problem or a model.
Evaluator spawn_evaluator(caf::actor_system& system, std::shared_ptr<const Problem> problem,
                          std::shared_ptr<Model> model, EvaluatorOptions options = {});

} // namespace troupe
