// What a configuration can say of syncing, and what follows from it.
#pragma once

#include "messages/loop/loop_event.hpp"
#include "messages/parameters/staleness.hpp"
#include "model/training/update_rule.hpp"

#include <string>
#include <vector>

namespace troupe {

struct ParameterSyncOptions {
  Rule rule = Rule::alpha_beta; ///< what a sync does: see model/training/update_rule.hpp
  float alpha = 0.5f;           ///< alpha_beta: weighs the shared parameters; finite
  float beta = 0.5f;            ///< alpha_beta: weighs this worker's; finite
  float elasticity = 0.5f;      ///< easgd: in (0, 1]
  float outer_rate = 0.7f;      ///< outer_nesterov: > 0
  float outer_momentum = 0.9f;  ///< outer_nesterov: in [0, 1)
  Staleness staleness = {};     ///< 0: all workers in step; 3: at most 3 syncs ahead; unbounded
  bool optimizer_state = false; ///< share the optimizer's running quantities too
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

/// @throws std::invalid_argument for a rule or a deadline that cannot be, and for a gradient
/// average without rounds.
void check(const ParameterSyncOptions& options);

/// Whether the rule can be carried out at this moment: gradients are averaged at before_update,
/// where nothing has changed yet, and parameters anywhere else.
/// @returns why not, as a sentence; "" where it can.
std::string defect_of_moment(Rule rule, Callback callback);

/// What a gate that syncs needs to see: parameters, and the optimizer's slots and the gradient
/// where they are shared, too.
Shows shown_to(const ParameterSyncOptions& options);

/// What is shared behind the parameters: the optimizer's slots where the options say so, and with
/// gradient_average the gradient.
std::vector<std::string> parts_behind(const ParameterSyncOptions& options,
                                      const std::vector<std::string>& slots);

} // namespace troupe
