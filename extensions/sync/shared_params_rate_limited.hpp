// Keeps a worker's parameters in step with the shared ones, as often as limits allow: on the time
// for it, on syncs per second, and on how little has changed.
#pragma once

#include "base/token_bucket.hpp"
#include "extensions/sync/parameter_sync.hpp"
#include "messages/log/log.hpp"
#include "messages/loop/extension.hpp"
#include "messages/parameters/rate_limit.hpp"

namespace troupe {

/// A worker syncs where all limits allow it.
struct SharedParamsRateLimitedOptions {
  ParameterSyncOptions sync = {};
  RateLimitOptions limit = {};    ///< share of the time
  TokenBucketOptions tokens = {}; ///< syncs per second
  /// Sync only where the parameters have moved by more than this share of what they were after the
  /// last sync (model/tensor/divergence.hpp), >= 0; 0: whenever. Costs a copy of them, and a pass
  /// over both.
  double drift = 0;
  FIELDS(sync, limit, tokens, drift);
};

/// before_training (join, create or fetch), every batch (sync where the limit allows it),
/// after_training (report, leave), on_interrupt and on_error (leave).
Conditions shared_params_rate_limited_conditions();

/// @throws std::invalid_argument for invalid options.
void check(const SharedParamsRateLimitedOptions& options);

/// A gate, subscribed with parameters. At the end it says how often it synced and which share of
/// the time that took. It ends when no handle to it is left.
/// @param logger may be null
/// @throws std::invalid_argument for invalid options.
Extension spawn_shared_params_rate_limited(caf::actor_system& system,
                                           SharedParamsRateLimitedOptions options,
                                           ParameterHolder holder, Layout layout, Logger logger,
                                           HolderFate fate = HolderFate::outlives_run);

} // namespace troupe
