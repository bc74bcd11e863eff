// The options of syncing.
#pragma once

#include "extensions/support/run_hooks.hpp"
#include "messages/loop/loop_event.hpp"
#include "messages/parameters/staleness.hpp"
#include "model/tensor/layout.hpp"
#include "model/update_rules/update_rule_kind.hpp"

#include <string>
#include <vector>

namespace troupe {

/// What the extensions that sync have in common.
struct ParameterSyncOptions {
  UpdateRule rule = {};     ///< how a sync changes the parameters; its settings stand beside it
  Staleness staleness = {}; ///< 0: all workers sync in rounds; 3: at most 3 syncs ahead; unbounded
  bool optimizer_state = false; ///< also share the optimizer's state
  /// Seconds for an answer of the holder. A push that waits for other workers has no deadline.
  double deadline = 60;
  int fragments = 1;    ///< cut the parameters into so many, and exchange one at each sync, in turn
  bool overlap = false; ///< train on while a sync is exchanged, and take its result at the next one
  bool timing_log
    = false; ///< write param_sync_start, param_sync_end (seconds of the run), param_sync_duration
  TROUPE_FIELDS(rule, staleness, optimizer_state, deadline, fragments, overlap, timing_log);
};

/// Whether workers make each update themselves, with the mean of their gradients.
inline bool shares_gradients(const UpdateRule& rule) {
  return traits_of(rule).sends == Contribution::parameters_and_gradient;
}
/// Whether workers send what has changed since their last sync.
inline bool sends_steps(const UpdateRule& rule) {
  return traits_of(rule).sends == Contribution::steps;
}

/// @throws std::invalid_argument for an invalid rule or deadline, for a rule that shares gradients
/// without rounds, and for fragments or overlap with what they do not go with.
void check(const ParameterSyncOptions& options);
/// @throws std::invalid_argument if the model is too small for the fragments
void check(const ParameterSyncOptions& options, const Layout& layout);

/// Checks the rule's callback: gradients are averaged at before_update, before anything has
/// changed, and parameters at any other callback.
/// @returns the defect as a sentence; "" if there is none.
std::string defect_at_callback(const UpdateRule& rule, Callback callback);

/// What a sync gate needs from events: the parameters, and the optimizer's slots and the gradient
/// if they are shared.
Shows shows_for(const ParameterSyncOptions& options);

/// With shared gradients all workers apply the same update, and the gradient is shared, too.
WorkerSharing sharing_of(const ParameterSyncOptions& options);

} // namespace troupe
