// The options of syncing.
#pragma once

#include "extensions/support/run_hooks.hpp"
#include "messages/loop/loop_event.hpp"
#include "messages/parameters/staleness.hpp"
#include "model/training/update_rule.hpp"

#include <string>
#include <vector>

namespace troupe {

struct ParameterSyncOptions {
  Rule rule
    = Rule::alpha_beta; ///< how a sync changes the parameters: see model/training/update_rule.hpp
  float alpha = 0.5f;   ///< alpha_beta: weight of the shared parameters; finite
  float beta = 0.5f;    ///< alpha_beta: weight of this worker's parameters; finite
  float elasticity = 0.5f;     ///< easgd: in (0, 1]
  float outer_rate = 0.7f;     ///< outer_nesterov: > 0
  float outer_momentum = 0.9f; ///< outer_nesterov: in [0, 1)
  Staleness staleness = {}; ///< 0: all workers sync in rounds; 3: at most 3 syncs ahead; unbounded
  bool optimizer_state = false; ///< also share the optimizer's state
  /// Seconds for an answer of the holder. A push that waits for other workers has no deadline.
  double deadline = 60;
  bool timing_log
    = false; ///< write param_sync_start, param_sync_end (seconds of the run), param_sync_duration
  FIELDS(rule, alpha, beta, elasticity, outer_rate, outer_momentum, staleness, optimizer_state,
         deadline, timing_log);

  UpdateRule update_rule() const {
    return {rule, alpha, beta, elasticity, outer_rate, outer_momentum};
  }
};

/// @throws std::invalid_argument for an invalid rule or deadline, and for gradient_average without
/// rounds.
void check(const ParameterSyncOptions& options);

/// Checks the rule's callback: gradients are averaged at before_update, before anything has
/// changed, and parameters at any other callback.
/// @returns the defect as a sentence; "" if there is none.
std::string defect_at_callback(Rule rule, Callback callback);

/// What a sync gate needs from events: the parameters, and the optimizer's slots and the gradient
/// if they are shared.
Shows shows_for(const ParameterSyncOptions& options);

/// With gradient_average all workers apply the same update, and the gradient is shared, too.
WorkerSharing sharing_of(const ParameterSyncOptions& options);

} // namespace troupe
