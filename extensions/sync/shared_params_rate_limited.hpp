// Syncs a worker's parameters with the shared ones as often as limits allow: on the share of time,
// on syncs per second, and on the change since the last sync.
#pragma once

#include "base/token_bucket.hpp"
#include "extensions/sync/parameter_sync.hpp"
#include "messages/log/log.hpp"
#include "messages/loop/extension.hpp"
#include "messages/parameters/rate_limit.hpp"

namespace troupe {

/// A worker syncs when all limits allow it.
struct SharedParamsRateLimitedOptions {
  ParameterSyncOptions sync = {}; ///< how parameters are shared
  RateLimitOptions limit = {};    ///< share of the time
  TokenBucketOptions tokens = {}; ///< syncs per second
  /// Sync only if the parameters have diverged from those after the last sync by more than this
  /// share (model/tensor/divergence.hpp), >= 0; 0: always. Costs a copy of the parameters, and a
  /// pass over both.
  double divergence = 0;
  TROUPE_FIELDS(sync, limit, tokens, divergence);
};

/// before_training (join, create or fetch), every batch (sync if the limits allow it),
/// after_training (report, leave), on_interrupt and on_error (leave).
Conditions shared_params_rate_limited_conditions();

/// @throws std::invalid_argument for invalid options.
void check(const SharedParamsRateLimitedOptions& options);

/// A gate, subscribed with parameters. At the end it reports the number of syncs and their share of
/// the time. It ends when no handle to it is left.
/// @param logger may be null
/// @throws std::invalid_argument for invalid options.
Extension spawn_shared_params_rate_limited(caf::actor_system& system,
                                           SharedParamsRateLimitedOptions options,
                                           ParameterHolder holder, Layout layout, Logger logger,
                                           HolderFate fate = HolderFate::outlives_run);

} // namespace troupe
